/** How long sandboxes run, rest and are kept by themselves. Values alone: no clock, no timer. */
@NullMarked
package dev.cove.model.life;

import org.jspecify.annotations.NullMarked;
