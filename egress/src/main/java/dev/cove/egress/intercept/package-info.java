/**
 * Where requests, and not only connections, are looked at: what a part that ends TLS or changes
 * requests is given, and what it owes.
 */
@NullMarked
package dev.cove.egress.intercept;

import org.jspecify.annotations.NullMarked;
