/**
 * Commands as E2B's clients see them: many may listen to one, and it runs on when they leave. Enter
 * at {@link ProcessRpc}.
 *
 * <p>The agent lets one reader in for each command, so {@link LiveProcess} is that reader and tells
 * all others.
 */
@NullMarked
package dev.cove.edge.e2b.process;

import org.jspecify.annotations.NullMarked;
