/** What programs in a sandbox trust when they speak TLS. Enter at SandboxTrust. */
@NullMarked
package dev.cove.node.trust;

import org.jspecify.annotations.NullMarked;
