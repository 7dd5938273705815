/** Volumes as E2B's clients see them, and the files in them. Enter at {@link VolumeRoutes}. */
@NullMarked
package dev.cove.edge.e2b.volume;

import org.jspecify.annotations.NullMarked;
