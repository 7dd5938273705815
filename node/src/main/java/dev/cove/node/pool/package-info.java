/** Cages built ahead of need. Enter at {@link WarmCages}. */
@NullMarked
package dev.cove.node.pool;

import org.jspecify.annotations.NullMarked;
