/**
 * The first message of a TLS client, read strictly: whatever could be read in two ways is refused.
 */
@NullMarked
package dev.cove.egress.tls;

import org.jspecify.annotations.NullMarked;
