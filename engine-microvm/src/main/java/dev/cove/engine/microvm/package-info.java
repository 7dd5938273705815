/**
 * Virtual machines by QEMU. Enter at {@link Qemu}, which {@code MachineEngine} starts and speaks
 * to.
 *
 * <p>Nothing here builds a cage, and nothing that a machine says is believed further than that it
 * was said: answers are bounded lines, and a machine that does not answer is ended.
 */
@NullMarked
package dev.cove.engine.microvm;

import org.jspecify.annotations.NullMarked;
