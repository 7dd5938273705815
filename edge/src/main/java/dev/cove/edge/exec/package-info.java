/**
 * Commands that a request waits for. Enter at {@link ExecRoutes}.
 *
 * <p>Output is either collected within a budget that all requests share, or passed on as it comes.
 * A command never outlives the request that started it; those that may live in {@code process}.
 */
@NullMarked
package dev.cove.edge.exec;

import org.jspecify.annotations.NullMarked;
