/** Checkpoints, restore and fork over HTTP. */
@NullMarked
package dev.cove.edge.checkpoint;

import org.jspecify.annotations.NullMarked;
