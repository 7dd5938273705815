/** Sandboxes over HTTP: create, list, look up, label, delete, measure. Enter at SandboxRoutes. */
@NullMarked
package dev.cove.edge.sandbox;

import org.jspecify.annotations.NullMarked;
