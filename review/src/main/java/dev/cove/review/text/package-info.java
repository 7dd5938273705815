/**
 * Lines of text: how two versions differ, and what becomes of three.
 *
 * <p>Enter at {@link dev.cove.review.text.UnifiedDiff} and {@link
 * dev.cove.review.text.ThreeWayMerge}. Pure: no files, no clock. Text is lines of bytes; nothing
 * here minds which characters they mean, and no line is ever lost for being no UTF-8.
 */
@NullMarked
package dev.cove.review.text;

import org.jspecify.annotations.NullMarked;
