package dev.cove.edge.sandbox;

import dev.cove.control.build.BuildLog;
import dev.cove.control.build.Builds;
import dev.cove.control.build.Cancellation;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CreateSandbox;
import dev.cove.control.sandbox.Created;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.node.image.ImageReference;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The routes of sandboxes themselves. */
public final class SandboxRoutes {
  public static final String ONE = "/api/v1/sandboxes/{box}";
  private static final String ALL = "/api/v1/sandboxes";
  private static final Pattern IDEMPOTENCY_KEY = Pattern.compile("[\\x20-\\x7e]{1,128}");

  private final SandboxLifecycle lifecycle;
  private final Branches branches;
  private final Builds builds;

  public SandboxRoutes(SandboxLifecycle lifecycle, Branches branches, Builds builds) {
    this.lifecycle = lifecycle;
    this.branches = branches;
    this.builds = builds;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create),
        Route.of("GET", ALL, this::list).query("label", "limit", "cursor"),
        Route.of("GET", ONE, this::show),
        Route.of("PATCH", ONE, this::relabel),
        Route.of("DELETE", ONE, this::delete),
        Route.of("GET", ONE + "/metrics", this::metrics));
  }

  private void create(Exchange exchange) throws IOException {
    Optional<String> key = exchange.header("Idempotency-Key");
    if (key.isPresent() && !IDEMPOTENCY_KEY.matcher(key.get()).matches()) {
      throw new IllegalArgumentException(
          "Idempotency-Key must be 1 to 128 printable ASCII characters");
    }
    CreateBody body = exchange.json(CreateBody.class);
    Created created = create(exchange, body, key);
    if (created.replayed()) {
      exchange.withHeader("Idempotent-Replay", "true");
    }
    exchange
        .withHeader("Location", ALL + "/" + created.sandbox().id())
        .send(created.replayed() ? 200 : 201, SandboxBody.of(created.sandbox()));
  }

  private Created create(Exchange exchange, CreateBody body, Optional<String> key) {
    if (body.checkpoint() != null) {
      return branches.create(body.checkpoint(), body.fromCheckpoint(key));
    }
    CreateSandbox wish = body.toRequest(key); // a bad one is refused before anything is fetched
    return lifecycle.create(wish.withTemplate(provided(exchange, body)));
  }

  /** Makes on first use what can be made of itself. */
  private String provided(Exchange exchange, CreateBody body) {
    String template = body.templateName();
    if (body.image() == null && !template.equals(Builds.DEBIAN)) {
      return template;
    }
    var cancellation = new Cancellation();
    try (ClientPresence _ =
        exchange.watchClient(() -> cancellation.cancel("the caller went away"))) {
      if (body.image() != null) {
        return builds.provideImage(
            ImageReference.parse(body.image()), Optional.empty(), BuildLog.SILENT, cancellation);
      }
      builds.provide(template, BuildLog.SILENT, cancellation);
      return template;
    }
  }

  private void list(Exchange exchange) {
    var labels = new HashMap<String, String>();
    for (String label : exchange.query().all("label")) {
      int equals = label.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("Query parameter label must have the form key=value");
      }
      String key = label.substring(0, equals);
      if (labels.put(key, label.substring(equals + 1)) != null) {
        throw new IllegalArgumentException("The same label is asked for twice");
      }
    }
    int limit = (int) exchange.query().number("limit", 100, 1, 1_000);
    SandboxPage page = lifecycle.list(labels, limit, exchange.query().find("cursor"));
    exchange.send(
        200, new ListBody(page.items().stream().map(SandboxBody::of).toList(), page.nextCursor()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, SandboxBody.of(lifecycle.require(exchange.path("box"))));
  }

  private void relabel(Exchange exchange) throws IOException {
    var changes = new HashMap<String, Optional<String>>();
    Fields.require("labels", exchange.json(LabelsBody.class).labels())
        .forEach((key, value) -> changes.put(key, Optional.ofNullable(value)));
    exchange.send(200, SandboxBody.of(lifecycle.relabel(exchange.path("box"), changes)));
  }

  private void delete(Exchange exchange) {
    lifecycle.delete(exchange.path("box"));
    exchange.sendNothing(204);
  }

  private void metrics(Exchange exchange) {
    exchange.send(200, MetricsBody.of(lifecycle.metrics(exchange.path("box"))));
  }

  record LabelsBody(@Nullable Map<String, @Nullable String> labels) {}

  record ListBody(List<SandboxBody> items, Optional<String> nextCursor) {}
}
