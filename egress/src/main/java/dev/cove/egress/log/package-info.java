/**
 * What was decided lately, and what became of it. Bounded, in memory; nothing in it was written by
 * a sandbox but names in their one spelling and addresses.
 */
@NullMarked
package dev.cove.egress.log;

import org.jspecify.annotations.NullMarked;
