/** The networks of this node's sandboxes: what Cove holds inside them, and who serves it. */
@NullMarked
package dev.cove.node.network;

import org.jspecify.annotations.NullMarked;
