/** Templates: what there is, and how more come to be. */
@NullMarked
package dev.cove.edge.template;

import org.jspecify.annotations.NullMarked;
