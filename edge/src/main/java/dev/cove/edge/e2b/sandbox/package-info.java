/**
 * E2B's control API: sandboxes, from both generations of its clients. Enter at {@link
 * SandboxRoutes}; {@link Metadata} and {@link OutRules} say how its words become ours.
 */
@NullMarked
package dev.cove.edge.e2b.sandbox;

import org.jspecify.annotations.NullMarked;
