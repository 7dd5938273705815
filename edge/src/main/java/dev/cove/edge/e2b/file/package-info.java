/**
 * Files as E2B's clients see them. Enter at {@link FilesystemRoutes} for calls about files and at
 * {@link UploadRoutes} for their contents; {@link UserFiles} has the rules of who owns what.
 */
@NullMarked
package dev.cove.edge.e2b.file;

import org.jspecify.annotations.NullMarked;
