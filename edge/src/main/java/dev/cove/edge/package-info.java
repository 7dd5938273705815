/** Callers to Cove. */
@NullMarked
package dev.cove.edge;

import org.jspecify.annotations.NullMarked;
