/**
 * JSON as a small immutable tree, read and written by jackson-core. Enter at {@link JsonObject}.
 *
 * <p>There is no data binding here: reflection over records costs the command line more time than
 * it saves lines.
 */
@NullMarked
package dev.cove.sdk.json;

import org.jspecify.annotations.NullMarked;
