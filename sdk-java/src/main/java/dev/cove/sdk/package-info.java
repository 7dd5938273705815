/**
 * Drives a Cove server. Enter at {@link Cove#connect()}.
 *
 * <p>Calls block and belong on any thread, virtual ones included. Failures are unchecked: {@link
 * CoveApiException} when the server said no, {@link CoveConnectionException} when it could not be
 * reached. Only JDK types appear in signatures; how bytes travel is not exported.
 */
@NullMarked
package dev.cove.sdk;

import org.jspecify.annotations.NullMarked;
