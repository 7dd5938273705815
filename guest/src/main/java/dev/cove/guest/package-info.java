/**
 * The host's end of the link to the agent inside a sandbox. Enter at {@link Guest}.
 *
 * <p>Every byte that arrives here comes from a place that hostile code may control: lengths are
 * checked before memory is taken, and a frame that makes no sense costs the link, nothing else.
 *
 * <p>Locks are taken in this order: the monitor of a {@code FlowOutput}, of a {@code LinkChannel},
 * of the {@code LinkWriter}. The thread that reads the link waits for none of their owners.
 */
@NullMarked
package dev.cove.guest;

import org.jspecify.annotations.NullMarked;
