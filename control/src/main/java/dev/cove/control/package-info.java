/** Who may have what, and what is true. */
@NullMarked
package dev.cove.control;

import org.jspecify.annotations.NullMarked;
