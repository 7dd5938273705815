/** Checkpoints, sandboxes and templates as files. */
@NullMarked
package dev.cove.edge.move;

import org.jspecify.annotations.NullMarked;
