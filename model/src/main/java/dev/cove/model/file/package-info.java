/**
 * Files that must be whole, private, or carried elsewhere without their holes. Enter at {@link
 * dev.cove.model.file.PrivateFile} and {@link dev.cove.model.file.FileRanges}. Here, as fail points
 * are, because modules that do not know each other need them. Nothing that knows what is in a file.
 */
@NullMarked
package dev.cove.model.file;

import org.jspecify.annotations.NullMarked;
