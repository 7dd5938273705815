/**
 * What of a folder a sandbox must not see. Enter at {@link dev.cove.review.hide.HiddenSearch}; what
 * is hidden where nobody says anything is {@link dev.cove.review.hide.UsuallyHidden}.
 */
@NullMarked
package dev.cove.review.hide;

import org.jspecify.annotations.NullMarked;
