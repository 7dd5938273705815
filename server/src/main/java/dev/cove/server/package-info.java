/**
 * Wires all parts into one process. Enter at {@link CoveServer}; {@link ServerMain} and {@link
 * DoctorMain} are what the launcher runs.
 *
 * <p>The only place that says {@code new} for things that live as long as the process, and the only
 * one that reads the environment. No request is handled here.
 */
@NullMarked
package dev.cove.server;

import org.jspecify.annotations.NullMarked;
