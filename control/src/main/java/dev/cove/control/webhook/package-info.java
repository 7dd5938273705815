/**
 * Whoever wants to be told of events without asking. Enter at {@link Webhooks}.
 *
 * <p>Each webhook remembers up to which event it has heard everything, so there is no queue: what
 * it has yet to hear are the events themselves. Secrets leave this package once, in {@link Made}.
 */
@NullMarked
package dev.cove.control.webhook;

import org.jspecify.annotations.NullMarked;
