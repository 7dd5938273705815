/**
 * Files of a sandbox over HTTP. Enter at {@link FileRoutes}.
 *
 * <p>Bytes pass through and are never kept. Paths are checked for their shape only; what they mean
 * is decided inside the sandbox, with the rights of one of its users.
 */
@NullMarked
package dev.cove.edge.file;

import org.jspecify.annotations.NullMarked;
