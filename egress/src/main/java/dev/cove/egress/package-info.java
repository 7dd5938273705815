/**
 * Sandboxes to the world. Everything that a sandbox sends leaves through here or not at all: names
 * are answered, destinations decided on, and connections made on its behalf. Knows neither engines
 * nor the ledger; whoever runs sandboxes hands over the sockets that he holds inside them.
 *
 * <p>Enter at {@link dev.cove.egress.Gateway}; follow one connection from {@code intake.Intake} to
 * {@code intake.Carriage}. Three things hold throughout. A destination is what the program asked
 * for, never what it says later. The address that was checked is the one that is dialled. Whatever
 * fails ends a connection and never opens one.
 */
@NullMarked
package dev.cove.egress;

import org.jspecify.annotations.NullMarked;
