/** Volumes over HTTP, but for their files, which go the way of all files. */
@NullMarked
package dev.cove.edge.volume;

import org.jspecify.annotations.NullMarked;
