package dev.cove.control.webhook;

import java.util.Optional;

/**
 * A webhook that was made or changed.
 *
 * @param secret when it is new: it can be read here and never again
 */
public record Made(Webhook webhook, Optional<String> secret) {
  @Override
  public String toString() {
    return "Made[" + webhook.id() + "]";
  }
}
