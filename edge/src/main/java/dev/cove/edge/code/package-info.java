/**
 * Code that is run in contexts which remember: the way to the interpreter inside. Enter at {@link
 * dev.cove.edge.code.CodeInterpreter}.
 */
@NullMarked
package dev.cove.edge.code;

import org.jspecify.annotations.NullMarked;
