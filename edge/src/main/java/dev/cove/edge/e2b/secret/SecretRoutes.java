package dev.cove.edge.e2b.secret;

import dev.cove.control.project.Scope;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Secrets: set, listed, removed. No answer has a value in it. */
public final class SecretRoutes {
  private static final String ALL = E2bDialect.ROOT + "/secrets";
  private static final String ONE = ALL + "/{secret}";
  private static final int MOST = 100;
  private static final int MAX_VALUE = 64 << 10;

  private final NodeSecrets secrets;

  public SecretRoutes(NodeSecrets secrets) {
    this.secrets = secrets;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create),
        Route.of("GET", ALL, this::list).query("limit", "nextToken"),
        Route.of("GET", ONE, this::show),
        Route.of("POST", ONE, this::update),
        Route.of("DELETE", ONE, this::remove));
  }

  record SetBody(
      @Nullable String name,
      @Nullable String value,
      @Nullable Map<String, @Nullable String> metadata) {
    @Override
    public String toString() {
      return "SetBody[hidden]";
    }
  }

  /**
   * @param currentVersion grows with each value; the first one's is 1
   */
  record Body(
      String secretID,
      String name,
      long currentVersion,
      Map<String, String> metadata,
      Instant createdAt,
      Instant updatedAt) {
    static Body of(NodeSecrets.Kept kept) {
      String name = SecretNames.theirs(kept.name());
      long version = 1 + Duration.between(kept.createdAt(), kept.updatedAt()).toMillis();
      return new Body(name, name, version, Map.of(), kept.createdAt(), kept.updatedAt());
    }
  }

  private void create(Exchange exchange) throws IOException {
    SetBody body = exchange.looseJson(SetBody.class);
    SecretName name = SecretNames.ours(Fields.require("name", body.name()));
    byte[] value = value(body);
    if (secrets.has(name)) {
      throw new CoveException(ErrorCode.CONFLICT, "There is a secret of this name already");
    }
    exchange.send(201, Body.of(secrets.set(name, value).secret()));
  }

  private void update(Exchange exchange) throws IOException {
    SetBody body = exchange.looseJson(SetBody.class);
    byte[] value = value(body);
    SecretName name = kept(exchange).name();
    exchange.send(200, Body.of(secrets.set(name, value).secret()));
  }

  private static byte[] value(SetBody body) {
    if (body.metadata() != null && !body.metadata().isEmpty()) {
      throw new IllegalArgumentException("metadata of secrets is not kept here; leave it out");
    }
    byte[] value = Fields.require("value", body.value()).getBytes(StandardCharsets.UTF_8);
    if (value.length > MAX_VALUE) {
      throw new CoveException(
          ErrorCode.TOO_LARGE, "A secret may have at most %d bytes".formatted(MAX_VALUE));
    }
    return value;
  }

  private void list(Exchange exchange) {
    int limit = (int) exchange.query().number("limit", MOST, 1, MOST);
    Optional<String> last = exchange.query().find("nextToken").filter(token -> !token.isEmpty());
    List<NodeSecrets.Kept> rest =
        secrets.list(Scope.here()).stream()
            .filter(kept -> !RuleValues.isOne(kept.name()))
            .filter(
                kept -> last.map(after -> kept.name().value().compareTo(after) > 0).orElse(true))
            .sorted((one, other) -> one.name().value().compareTo(other.name().value()))
            .toList();
    List<NodeSecrets.Kept> page = rest.subList(0, Math.min(limit, rest.size()));
    if (page.size() < rest.size()) {
      exchange.withHeader("X-Next-Token", page.getLast().name().value());
    }
    exchange.send(200, page.stream().map(Body::of).toList());
  }

  private void show(Exchange exchange) {
    exchange.send(200, Body.of(kept(exchange)));
  }

  private void remove(Exchange exchange) {
    secrets.remove(kept(exchange).name());
    exchange.sendNothing(204);
  }

  /** By its name, which is its id. */
  private NodeSecrets.Kept kept(Exchange exchange) {
    SecretName name = SecretNames.ours(exchange.path("secret"));
    return secrets.list(Scope.here()).stream()
        .filter(kept -> kept.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new CoveException(ErrorCode.NOT_FOUND, "There is no such secret"));
  }
}
