package dev.cove.edge.event;

import dev.cove.control.webhook.Attempt;
import dev.cove.control.webhook.DeadLetter;
import dev.cove.control.webhook.Made;
import dev.cove.control.webhook.Retried;
import dev.cove.control.webhook.Webhook;
import dev.cove.control.webhook.WebhookChange;
import dev.cove.control.webhook.Webhooks;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes of those who are told of events. */
public final class WebhookRoutes {
  private static final String ALL = "/api/v1/webhooks";
  private static final String ONE = ALL + "/{webhook}";
  private static final String DEAD = ONE + "/dead-letters";

  private final Webhooks webhooks;

  public WebhookRoutes(Webhooks webhooks) {
    this.webhooks = webhooks;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create),
        Route.of("GET", ALL, this::list),
        Route.of("GET", ONE, this::show),
        Route.of("PATCH", ONE, this::change),
        Route.of("DELETE", ONE, this::remove),
        Route.of("POST", ONE + "/test", this::test),
        Route.of("GET", DEAD, this::dead),
        Route.of("POST", DEAD + "/retry", this::retry).query("event"));
  }

  private void create(Exchange exchange) throws IOException {
    CreateBody body = exchange.json(CreateBody.class);
    List<String> types = body.types() == null ? List.of() : Fields.textList("types", body.types());
    Made made = webhooks.create(Fields.require("url", body.url()), types);
    exchange.withHeader("Cache-Control", "no-store").send(201, WebhookBody.of(made));
  }

  private void list(Exchange exchange) {
    exchange.send(200, new ListBody(webhooks.list().stream().map(WebhookBody::of).toList()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, WebhookBody.of(webhooks.require(exchange.path("webhook"))));
  }

  private void change(Exchange exchange) throws IOException {
    ChangeBody body = exchange.json(ChangeBody.class);
    var change =
        new WebhookChange(
            Optional.ofNullable(body.url()),
            Optional.ofNullable(body.types()).map(types -> Fields.textList("types", types)),
            Optional.ofNullable(body.enabled()),
            Boolean.TRUE.equals(body.newSecret()));
    Made made = webhooks.change(exchange.path("webhook"), change);
    exchange.withHeader("Cache-Control", "no-store").send(200, WebhookBody.of(made));
  }

  private void remove(Exchange exchange) {
    webhooks.remove(exchange.path("webhook"));
    exchange.sendNothing(204);
  }

  private void test(Exchange exchange) {
    Attempt attempt = webhooks.test(exchange.path("webhook"));
    exchange.send(200, new AttemptBody(attempt.taken(), attempt.outcome()));
  }

  private void dead(Exchange exchange) throws IOException {
    exchange.sendLong(
        200,
        new DeadListBody(
            webhooks.deadLetters(exchange.path("webhook")).stream().map(DeadBody::of).toList()));
  }

  private void retry(Exchange exchange) {
    Optional<Long> only =
        exchange.query().find("event").isPresent()
            ? Optional.of(exchange.query().number("event", 0, 0, Long.MAX_VALUE))
            : Optional.empty();
    Retried retried = webhooks.retry(exchange.path("webhook"), only);
    exchange.send(200, new RetriedBody(retried.delivered(), retried.remaining(), retried.error()));
  }

  record CreateBody(@Nullable String url, @Nullable List<@Nullable String> types) {}

  record ChangeBody(
      @Nullable String url,
      @Nullable List<@Nullable String> types,
      @Nullable Boolean enabled,
      @Nullable Boolean newSecret) {}

  record ListBody(List<WebhookBody> items) {}

  /**
   * @param secret only in the answer to what made it
   */
  record WebhookBody(
      String id,
      String url,
      List<String> types,
      boolean enabled,
      Instant createdAt,
      long delivered,
      int failures,
      Optional<String> error,
      long droppedDeadLetters,
      Optional<String> secret) {
    static WebhookBody of(Webhook webhook) {
      return of(new Made(webhook, Optional.empty()));
    }

    static WebhookBody of(Made made) {
      Webhook webhook = made.webhook();
      return new WebhookBody(
          webhook.id(),
          webhook.url().toString(),
          webhook.types().wanted().stream().sorted().toList(),
          webhook.enabled(),
          webhook.createdAt(),
          webhook.delivered(),
          webhook.failures(),
          webhook.error(),
          webhook.dropped(),
          made.secret());
    }

    @Override
    public String toString() {
      return "WebhookBody[" + id + "]";
    }
  }

  record AttemptBody(boolean taken, String outcome) {}

  record DeadListBody(List<DeadBody> items) {}

  record DeadBody(EventBody event, Instant failedAt, String error) {
    static DeadBody of(DeadLetter letter) {
      return new DeadBody(EventBody.of(letter.event()), letter.failedAt(), letter.error());
    }
  }

  record RetriedBody(int delivered, int remaining, Optional<String> error) {}
}
