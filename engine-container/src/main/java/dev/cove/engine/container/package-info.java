/**
 * Cages from namespaces, seccomp and cgroups on the host's own kernel. Enter at {@link
 * ContainerEngine}; the cage itself is built by the spawner, in C.
 *
 * <p>Everything made for a sandbox is recorded in its folder before it is made, so that whatever a
 * crash leaves can be found and removed. No path is ever resolved through a sandbox's own tree.
 *
 * <p>Locks: {@link ContainerCage} holds its own while it asks the {@link Spawner}, never the other
 * way round.
 */
@NullMarked
package dev.cove.engine.container;

import org.jspecify.annotations.NullMarked;
