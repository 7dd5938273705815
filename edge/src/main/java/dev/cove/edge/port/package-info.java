/**
 * Ports of sandboxes as addresses on the web. Enter at {@link PortProxy}.
 *
 * <p>A request that names a port passes {@link PortNames} (which port), {@link PortGate} (who may)
 * and {@link RequestHead} (what the sandbox gets to see); {@link SandboxConnection} speaks to the
 * server inside. That server is as hostile as the client: what it says is bounded, checked and
 * written anew, never copied through. Nothing of ours, key, token or cookie, goes into a sandbox.
 */
@NullMarked
package dev.cove.edge.port;

import org.jspecify.annotations.NullMarked;
