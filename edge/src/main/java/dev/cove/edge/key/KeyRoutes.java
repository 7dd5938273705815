package dev.cove.edge.key;

import dev.cove.control.key.ApiKey;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.Issued;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes of API keys. */
public final class KeyRoutes {
  private static final String ALL = "/api/v1/keys";

  private final ApiKeys keys;

  public KeyRoutes(ApiKeys keys) {
    this.keys = keys;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::issue),
        Route.of("GET", ALL, this::list),
        Route.of("DELETE", ALL + "/{key}", this::revoke));
  }

  private void issue(Exchange exchange) throws IOException {
    Issued issued = keys.issue(Fields.require("name", exchange.json(IssueBody.class).name()));
    ApiKey key = issued.key();
    exchange
        .withHeader("Cache-Control", "no-store")
        .send(201, new IssuedBody(key.id(), key.name(), issued.secret(), key.createdAt()));
  }

  private void list(Exchange exchange) {
    exchange.send(200, new ListBody(keys.list().stream().map(KeyBody::of).toList()));
  }

  private void revoke(Exchange exchange) {
    keys.revoke(exchange.path("key"));
    exchange.sendNothing(204);
  }

  record IssueBody(@Nullable String name) {}

  record IssuedBody(String id, String name, String key, Instant createdAt) {
    @Override
    public String toString() {
      return "IssuedBody[" + id + "]";
    }
  }

  record ListBody(List<KeyBody> items) {}

  record KeyBody(
      String id,
      String name,
      String last4,
      Instant createdAt,
      Optional<Instant> lastUsedAt,
      Optional<Instant> revokedAt) {
    static KeyBody of(ApiKey key) {
      return new KeyBody(
          key.id(), key.name(), key.last4(), key.createdAt(), key.lastUsedAt(), key.revokedAt());
    }
  }
}
