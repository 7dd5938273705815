/**
 * Takes changes over into a folder of the host: three-way, all or nothing, and reversible.
 *
 * <p>Enter at {@link dev.cove.review.apply.ApplySession}. What is to happen is decided first and in
 * memory ({@link dev.cove.review.apply.ApplyPlan}), then written down with all contents, old and
 * new ({@link dev.cove.review.apply.Journal}), then done ({@link dev.cove.review.apply.Settling}).
 * At every moment the host's version of a path is in its place or in a file of ours; what is found
 * in a place and is not what was expected is somebody's edit, and goes back.
 */
@NullMarked
package dev.cove.review.apply;

import org.jspecify.annotations.NullMarked;
