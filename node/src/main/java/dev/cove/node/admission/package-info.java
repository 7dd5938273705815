/** Whether one more sandbox fits on this machine. Enter at {@link Admission}. */
@NullMarked
package dev.cove.node.admission;

import org.jspecify.annotations.NullMarked;
