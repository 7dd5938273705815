/**
 * May this be reached? What no rule can allow first, then the operator's policy and the sandbox's;
 * the stricter of the two holds. Enter at {@link dev.cove.egress.decision.Decider}. No sockets and
 * no names looked up here.
 */
@NullMarked
package dev.cove.egress.decision;

import org.jspecify.annotations.NullMarked;
