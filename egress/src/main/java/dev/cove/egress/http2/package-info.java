/**
 * HTTP/2 between a sandbox and the world: the same streams on both sides, each request decided on
 * for itself. Frames and header compression are Jetty's; who may send how much is decided here.
 * Enter at {@link dev.cove.egress.http2.Http2}.
 */
@NullMarked
package dev.cove.egress.http2;

import org.jspecify.annotations.NullMarked;
