/**
 * Changes on a screen, and what somebody decides about them.
 *
 * <p>Enter at {@link dev.cove.cli.review.Board}, which takes keys, and {@link
 * dev.cove.cli.review.Screen}, which draws it. No terminal, no server and no file in here: keys
 * come in and lines of text go out.
 */
@NullMarked
package dev.cove.cli.review;

import org.jspecify.annotations.NullMarked;
