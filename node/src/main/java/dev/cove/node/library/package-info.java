/**
 * Native code of others that the server loads.
 *
 * <p>Enter at {@link NativeLibrary}. Nothing comes in here that knows what the code is for.
 */
@NullMarked
package dev.cove.node.library;

import org.jspecify.annotations.NullMarked;
