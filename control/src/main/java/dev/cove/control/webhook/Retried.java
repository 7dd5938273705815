package dev.cove.control.webhook;

import java.util.Optional;

/**
 * What became of telling a webhook of dead letters again.
 *
 * @param error of the one at which it ended, if there was one
 */
public record Retried(int delivered, int remaining, Optional<String> error) {}
