/**
 * The code interpreter, a program of ours that runs inside sandboxes; its source is among the
 * resources of this package. Enter at {@link dev.cove.control.interpreter.Interpreter}.
 */
@NullMarked
package dev.cove.control.interpreter;

import org.jspecify.annotations.NullMarked;
