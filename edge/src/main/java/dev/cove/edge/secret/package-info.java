/** Secrets and where sandboxes use them. No value goes out here. Enter at SecretRoutes. */
@NullMarked
package dev.cove.edge.secret;

import org.jspecify.annotations.NullMarked;
