/** How much of something there may be. Counts and clocks only. */
@NullMarked
package dev.cove.egress.limit;

import org.jspecify.annotations.NullMarked;
