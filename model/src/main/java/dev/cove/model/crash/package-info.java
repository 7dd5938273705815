/**
 * Places at which a test can end the process. Enter at {@link dev.cove.model.crash.FailPoint}. Not
 * a value like the rest of the vocabulary: it is here because every module that writes something
 * durable must be able to name its steps, and this is the only one that all of them know.
 */
@NullMarked
package dev.cove.model.crash;

import org.jspecify.annotations.NullMarked;
