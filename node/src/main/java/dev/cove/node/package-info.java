/** Makes sandboxes real on one machine. */
@NullMarked
package dev.cove.node;

import org.jspecify.annotations.NullMarked;
