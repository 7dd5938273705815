/** The command line. */
@NullMarked
package dev.cove.cli;

import org.jspecify.annotations.NullMarked;
