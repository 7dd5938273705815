/**
 * Sandboxes in which an OCI runtime brings the agent up: gVisor's runsc for the tier gvisor, and
 * whatever else speaks the same command line and bundle. Enter at {@link OciEngine}.
 *
 * <p>Everything but the last step is the container engine's: ids, cgroups, disk, layers, network,
 * link. Nothing here reads what a sandbox has written.
 */
@NullMarked
package dev.cove.engine.oci;

import org.jspecify.annotations.NullMarked;
