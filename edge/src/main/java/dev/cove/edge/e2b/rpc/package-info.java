/**
 * Connect's remote calls with JSON, as E2B's clients make them: one message each way, or one there
 * and a stream back. Enter at {@link Rpc}.
 *
 * <p>Nothing here knows what the calls are about.
 */
@NullMarked
package dev.cove.edge.e2b.rpc;

import org.jspecify.annotations.NullMarked;
