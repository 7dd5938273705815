/**
 * Questions to the owner of a sandbox about destinations that no rule speaks of, and the
 * connections that wait for the answer. Enter at {@link dev.cove.egress.ask.Questions}.
 */
@NullMarked
package dev.cove.egress.ask;

import org.jspecify.annotations.NullMarked;
