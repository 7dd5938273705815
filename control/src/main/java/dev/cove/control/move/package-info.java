/**
 * Checkpoints and templates as files that go to another machine. Enter at {@link
 * dev.cove.control.move.Moves}.
 *
 * <p>A file is checked from its first to its last byte before anything is made of it.
 */
@NullMarked
package dev.cove.control.move;

import org.jspecify.annotations.NullMarked;
