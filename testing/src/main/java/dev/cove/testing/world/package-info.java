/** The world outside of sandboxes, on loopback addresses: it keeps all that reaches it. */
@NullMarked
package dev.cove.testing.world;

import org.jspecify.annotations.NullMarked;
