package dev.cove.control.webhook;

/**
 * What became of telling a webhook of an event.
 *
 * @param outcome for people: what it answered, or why it could not
 */
public record Attempt(boolean taken, String outcome) {}
