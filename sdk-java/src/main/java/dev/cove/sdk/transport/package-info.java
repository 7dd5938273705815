/**
 * HTTP/1.1 and WebSocket over blocking sockets. Enter at {@link HttpClient}.
 *
 * <p>Small on purpose (decision 0030): the JDK's own client costs the command line several hundred
 * milliseconds at start-up. It speaks to one server, does not follow redirects, keeps no cookies,
 * and every length and count that arrives is bounded before memory is taken for it.
 */
@NullMarked
package dev.cove.sdk.transport;

import org.jspecify.annotations.NullMarked;
