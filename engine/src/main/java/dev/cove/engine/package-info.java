/**
 * What any isolation engine must do, and what all of them share. Enter at {@link Engine} and {@link
 * Store}; {@code SandboxEngineContract} in the testing module says what it promises.
 *
 * <p>An engine builds cages and takes them apart. It knows nothing of users, names, keys or HTTP,
 * and never resolves a path that a sandbox controls.
 */
@NullMarked
package dev.cove.engine;

import org.jspecify.annotations.NullMarked;
