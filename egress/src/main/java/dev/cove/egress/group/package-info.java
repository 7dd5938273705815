/**
 * Sandboxes that reach each other by name. There is no link between them: the gateway takes a
 * connection in one network and makes another in the other. Enter at {@link
 * dev.cove.egress.group.Peers}, which is what one sandbox sees. Whether rules are against a
 * connection is decided elsewhere.
 */
@NullMarked
package dev.cove.egress.group;

import org.jspecify.annotations.NullMarked;
