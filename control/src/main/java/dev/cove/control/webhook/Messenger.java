package dev.cove.control.webhook;

import dev.cove.control.event.Event;
import dev.cove.model.observe.Tally;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;

/** Tells one webhook of one event, signed. */
final class Messenger {
  private final Outlet outlet;
  private final Clock clock;

  Messenger(Outlet outlet, Clock clock) {
    this.outlet = outlet;
    this.clock = clock;
  }

  Attempt tell(URI url, String webhook, String secret, Event event) throws InterruptedException {
    Attempt attempt = post(url, webhook, secret, event);
    (attempt.taken() ? Tally.WEBHOOKS_TAKEN : Tally.WEBHOOKS_REFUSED).increment();
    return attempt;
  }

  private Attempt post(URI url, String webhook, String secret, Event event)
      throws InterruptedException {
    String body = event.toJson();
    Map<String, String> fields =
        Map.of(
            "Content-Type",
            "application/json",
            "User-Agent",
            "cove-webhook",
            "Cove-Webhook",
            webhook,
            "Cove-Event",
            Long.toString(event.id()),
            "Cove-Signature",
            Secrets.sign(secret, clock.instant().getEpochSecond(), body));
    try {
      int status = outlet.post(url, fields, body.getBytes(StandardCharsets.UTF_8));
      boolean redirect = status / 100 == 3;
      return new Attempt(
          status / 100 == 2,
          "It answered with status " + status + (redirect ? "; redirects are not followed" : ""));
    } catch (IOException e) {
      return new Attempt(false, String.valueOf(e.getMessage()));
    }
  }
}
