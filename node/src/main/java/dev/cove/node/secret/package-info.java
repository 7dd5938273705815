/** The secrets that this node keeps for its sandboxes, and what stands for them inside. */
@NullMarked
package dev.cove.node.secret;

import org.jspecify.annotations.NullMarked;
