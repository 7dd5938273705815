/**
 * What holds sandboxes, as callers ask for it and hear of it. Enter at {@link TierRoutes}. Which
 * tier a sandbox gets is not decided here.
 */
@NullMarked
package dev.cove.edge.tier;

import org.jspecify.annotations.NullMarked;
