/**
 * The network of a cage, the same for every engine: a namespace that leads nowhere, and the sockets
 * that Cove opens inside it. The kernel is spoken to directly; nothing here reads what a sandbox
 * sends.
 */
@NullMarked
package dev.cove.engine.network;

import org.jspecify.annotations.NullMarked;
