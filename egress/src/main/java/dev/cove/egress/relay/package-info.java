/**
 * Bytes between two ends, as fast as they come. Knows nothing of rules; whoever cuts a {@link
 * dev.cove.egress.relay.Connection} is obeyed at once.
 */
@NullMarked
package dev.cove.egress.relay;

import org.jspecify.annotations.NullMarked;
