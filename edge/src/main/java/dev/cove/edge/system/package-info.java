/** The server about itself: health, capacity, metrics, its API description. */
@NullMarked
package dev.cove.edge.system;

import org.jspecify.annotations.NullMarked;
