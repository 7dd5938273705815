/**
 * Projects: whose things are, and on whose behalf the current thread works. Enter at {@link
 * dev.cove.control.project.Scope}, which everything that finds or lists things asks, and at {@link
 * dev.cove.control.project.Projects}.
 */
@NullMarked
package dev.cove.control.project;

import org.jspecify.annotations.NullMarked;
