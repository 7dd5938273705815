/**
 * The host's end of the link to the agent inside a sandbox. Enter at {@link Guest}.
 *
 * <p>Every byte that arrives here comes from a place that hostile code may control: lengths are
 * checked before memory is taken, and a frame that makes no sense costs the link, nothing else.
 */
@NullMarked
package dev.cove.guest;

import org.jspecify.annotations.NullMarked;
