/**
 * One owner for each running sandbox. Enter at {@link SandboxSupervisor}.
 *
 * <p>Lock order: a supervisor's own lock only; it is never held while a listener is called.
 */
@NullMarked
package dev.cove.node.supervisor;

import org.jspecify.annotations.NullMarked;
