package dev.cove.edge.sandbox;

import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CreateSandbox;
import dev.cove.control.sandbox.Created;
import dev.cove.control.sandbox.Reviews;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Query;
import dev.cove.edge.http.Route;
import dev.cove.model.life.LifeRules;
import java.io.IOException;
import java.time.Duration;
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
  private final Reviews reviews;
  private final TemplateSupply supply;

  public SandboxRoutes(
      SandboxLifecycle lifecycle, Branches branches, Reviews reviews, TemplateSupply supply) {
    this.lifecycle = lifecycle;
    this.branches = branches;
    this.reviews = reviews;
    this.supply = supply;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create),
        Route.of("GET", ALL, this::list).query("label", "limit", "cursor", "project", "deleted"),
        Route.of("GET", ONE, this::show),
        Route.of("PATCH", ONE, this::change),
        Route.of("DELETE", ONE, this::delete).query("grace"),
        Route.of("POST", ONE + "/undelete", this::undelete),
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
        .send(created.replayed() ? 200 : 201, whole(created.sandbox()));
  }

  private Created create(Exchange exchange, CreateBody body, Optional<String> key) {
    if (body.checkpoint() != null) {
      return branches.create(body.checkpoint(), body.fromCheckpoint(key));
    }
    CreateSandbox wish = body.toRequest(key); // a bad one is refused before anything is fetched
    return lifecycle.create(
        wish.withTemplate(
            supply.provided(exchange, body.templateName(), Optional.ofNullable(body.image()))));
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
    Optional<String> cursor = exchange.query().find("cursor");
    SandboxPage page =
        exchange.query().flag("deleted", false)
            ? lifecycle.listDeleted(labels, limit, cursor)
            : lifecycle.list(labels, limit, cursor);
    exchange.send(
        200, new ListBody(page.items().stream().map(SandboxBody::of).toList(), page.nextCursor()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, whole(lifecycle.require(exchange.path("box"))));
  }

  /** With what is hidden in its projects, which takes a look at the disk. */
  private SandboxBody whole(Sandbox sandbox) {
    return SandboxBody.of(sandbox, lifecycle.tiers()).with(reviews.hidden(sandbox));
  }

  private void change(Exchange exchange) throws IOException {
    ChangeBody body = exchange.json(ChangeBody.class);
    if (body.labels() == null && body.life() == null) {
      throw new IllegalArgumentException("Give labels, life or both");
    }
    LifeBody.rules(body.life()); // what makes no sense changes no label either
    String box = exchange.path("box");
    if (body.labels() != null) {
      var changes = new HashMap<String, Optional<String>>();
      body.labels().forEach((key, value) -> changes.put(key, Optional.ofNullable(value)));
      lifecycle.relabel(box, changes);
    }
    if (body.life() != null) {
      var said = body.life();
      lifecycle.changeLife(box, now -> LifeBody.change(now, said), LifeBody.beginsLife(said));
    }
    exchange.send(200, SandboxBody.of(lifecycle.require(box)));
  }

  private void delete(Exchange exchange) {
    Optional<Sandbox> kept = deleted(exchange.path("box"), exchange.query());
    if (kept.isPresent()) {
      exchange.send(200, SandboxBody.of(kept.get()));
    } else {
      exchange.sendNothing(204);
    }
  }

  /** What is kept, if something is. */
  private Optional<Sandbox> deleted(String box, Query query) {
    if (query.find("grace").isEmpty()) {
      return lifecycle.delete(box);
    }
    long seconds = query.number("grace", 0, 0, LifeRules.LONGEST.toSeconds());
    if (seconds > 0) {
      return lifecycle.delete(box, Duration.ofSeconds(seconds));
    }
    lifecycle.purge(box);
    return Optional.empty();
  }

  private void undelete(Exchange exchange) {
    exchange.send(200, SandboxBody.of(lifecycle.undelete(exchange.path("box"))));
  }

  private void metrics(Exchange exchange) {
    exchange.send(200, MetricsBody.of(lifecycle.metrics(exchange.path("box"))));
  }

  record ChangeBody(
      @Nullable Map<String, @Nullable String> labels,
      @Nullable Map<String, @Nullable Object> life) {}

  record ListBody(List<SandboxBody> items, Optional<String> nextCursor) {}
}
