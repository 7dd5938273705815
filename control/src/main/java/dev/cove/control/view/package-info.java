/**
 * Files that no running sandbox has: those of a checkpoint, or of anything else that is made of
 * layers. Enter at {@link dev.cove.control.view.Views}. They are looked at and never written, and
 * nothing of what they belong to runs.
 */
@NullMarked
package dev.cove.control.view;

import org.jspecify.annotations.NullMarked;
