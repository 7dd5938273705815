/**
 * Volumes: what there is, and who has it. Enter at {@link dev.cove.control.volume.Volumes}.
 *
 * <p>Sandboxes are known here only by what they hold; their life is not decided here.
 */
@NullMarked
package dev.cove.control.volume;

import org.jspecify.annotations.NullMarked;
