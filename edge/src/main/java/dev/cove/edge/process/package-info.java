/**
 * Commands that may outlive a request, and sockets into a sandbox. Enter at {@link ProcessRoutes};
 * {@link AttachRoutes} has the WebSockets.
 *
 * <p>Nothing is remembered here: the agent inside keeps the commands, their output and their end.
 */
@NullMarked
package dev.cove.edge.process;

import org.jspecify.annotations.NullMarked;
