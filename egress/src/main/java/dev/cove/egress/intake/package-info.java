/**
 * Takes the connections that a sandbox's programs make, finds out where each wants to go, has it
 * decided, looks at its first bytes, and refuses it or carries it. Enter at {@link
 * dev.cove.egress.intake.Intake}. Whatever goes wrong here ends the connection.
 */
@NullMarked
package dev.cove.egress.intake;

import org.jspecify.annotations.NullMarked;
