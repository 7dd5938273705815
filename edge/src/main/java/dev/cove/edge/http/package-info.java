/**
 * HTTP made small and blocking. Enter at {@link HttpFront}; a handler sees an {@link Exchange}.
 *
 * <p>The only package that knows the HTTP server library. It checks host and key, finds the route,
 * bounds what is read and maps every failure to a problem document in one place ({@link Problem}).
 * Nothing about sandboxes comes in here.
 */
@NullMarked
package dev.cove.edge.http;

import org.jspecify.annotations.NullMarked;
