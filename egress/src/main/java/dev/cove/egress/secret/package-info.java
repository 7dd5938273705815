/**
 * The only place where values of secrets are: at rest under a key, and in memory for as long as it
 * takes. Enter at {@link dev.cove.egress.secret.Vault}. No value leaves this package but in a
 * request on its way to the host that it is bound to; none is ever in a message, a log line or the
 * text of an object.
 */
@NullMarked
package dev.cove.egress.secret;

import org.jspecify.annotations.NullMarked;
