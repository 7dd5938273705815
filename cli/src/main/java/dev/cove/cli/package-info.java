/**
 * The command line. Enter at {@link Main}; each verb is a class of its own name.
 *
 * <p>What a verb needs of the world it takes from its {@link Session}. Nothing here talks HTTP:
 * that is the SDK's work, and only its public package is used.
 */
@NullMarked
package dev.cove.cli;

import org.jspecify.annotations.NullMarked;
