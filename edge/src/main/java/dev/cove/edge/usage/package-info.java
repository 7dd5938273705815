/** What sandboxes have used: routes and bodies. */
@NullMarked
package dev.cove.edge.usage;

import org.jspecify.annotations.NullMarked;
