/**
 * States of sandboxes that can be gone back to. Enter at {@link
 * dev.cove.control.checkpoint.Checkpoints}.
 */
@NullMarked
package dev.cove.control.checkpoint;

import org.jspecify.annotations.NullMarked;
