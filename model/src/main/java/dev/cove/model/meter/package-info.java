/**
 * What is counted of sandboxes, and since when. Enter at {@link dev.cove.model.meter.Counter}.
 *
 * <p>{@link dev.cove.model.meter.BootClock} is not a value like the rest of the vocabulary: engine,
 * gateway and ledger must tell the same moments, and this is the only module that all of them know.
 */
@NullMarked
package dev.cove.model.meter;

import org.jspecify.annotations.NullMarked;
