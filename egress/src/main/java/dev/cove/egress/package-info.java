/**
 * Sandboxes to the world. Everything that a sandbox sends leaves through here or not at all: names
 * are answered, destinations decided on, and connections made on its behalf. Knows neither engines
 * nor the ledger; whoever runs sandboxes hands over the sockets that he holds inside them.
 */
@NullMarked
package dev.cove.egress;

import org.jspecify.annotations.NullMarked;
