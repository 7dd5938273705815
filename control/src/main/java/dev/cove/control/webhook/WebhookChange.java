package dev.cove.control.webhook;

import java.util.List;
import java.util.Optional;

/** What is to be different; the rest stays. */
public record WebhookChange(
    Optional<String> url,
    Optional<List<String>> types,
    Optional<Boolean> enabled,
    boolean newSecret) {}
