package dev.cove.control.webhook;

import dev.cove.control.event.Event;
import java.time.Instant;

/** An event that a webhook was not told of, though it was tried for as long as it is tried. */
public record DeadLetter(Event event, Instant failedAt, String error) {}
