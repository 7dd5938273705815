/**
 * E2B's API, so that its own clients work with this server: its paths, its words, its rules where
 * they differ from ours. Enter at {@link E2bDialect}; {@link Envd} is what every request into a
 * sandbox passes.
 *
 * <p>A translation only: whatever happens to a sandbox happens in {@code control} and {@code
 * guest}, as for the native API. Nothing outside this package and those below it knows of E2B.
 */
@NullMarked
package dev.cove.edge.e2b;

import org.jspecify.annotations.NullMarked;
