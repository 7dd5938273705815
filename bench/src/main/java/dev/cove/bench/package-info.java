/**
 * Measures Cove beside its peers.
 *
 * <p>Enter at {@link BenchMain}. {@code measure} does it, {@code peer} knows the others, {@code
 * report} shows it.
 */
@NullMarked
package dev.cove.bench;

import org.jspecify.annotations.NullMarked;
