package dev.cove.control.webhook;

import java.time.Duration;

/**
 * How many and how long. Tests shrink them; nobody else changes them.
 *
 * @param webhooks at most
 * @param firstPause after a failure; each further one in a row doubles it
 * @param longestPause at most
 * @param giveUpAfter the age at which an event that was refused becomes a dead letter
 * @param deadLetters for each webhook; the oldest go
 */
public record WebhookLimits(
    int webhooks,
    Duration firstPause,
    Duration longestPause,
    Duration giveUpAfter,
    int deadLetters) {
  public static final WebhookLimits USUAL =
      new WebhookLimits(
          32, Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofHours(24), 1_000);

  Duration pauseAfter(int failures) {
    int doublings = Math.min(failures - 1, 30);
    Duration pause = firstPause.multipliedBy(1L << doublings);
    return pause.compareTo(longestPause) < 0 ? pause : longestPause;
  }
}
