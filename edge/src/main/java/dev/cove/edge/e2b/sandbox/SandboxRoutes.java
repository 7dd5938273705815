package dev.cove.edge.e2b.sandbox;

import dev.cove.control.build.Recipes;
import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CreateSandbox;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.volume.VolumeWish;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.Timeouts;
import dev.cove.edge.e2b.secret.RuleValues;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.TemplateSupply;
import dev.cove.model.ResourceWish;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.network.NetworkSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sandboxes: created, found, listed, killed. */
public final class SandboxRoutes {
  static final String ALL = E2bDialect.ROOT + "/sandboxes";
  static final String ONE = ALL + "/{box}";
  private static final String ALL_V2 = E2bDialect.ROOT + "/v2/sandboxes";

  private final SandboxLifecycle lifecycle;
  private final Envd envd;
  private final Handles handles;
  private final TemplateNames templates;
  private final TemplateSupply supply;
  private final Branches branches;
  private final Snapshots snapshots;
  private final RuleValues values;

  public SandboxRoutes(
      SandboxLifecycle lifecycle,
      Envd envd,
      Handles handles,
      TemplateNames templates,
      TemplateSupply supply,
      Branches branches,
      Snapshots snapshots,
      RuleValues values) {
    this.values = values;
    this.lifecycle = lifecycle;
    this.branches = branches;
    this.snapshots = snapshots;
    this.envd = envd;
    this.handles = handles;
    this.templates = templates;
    this.supply = supply;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL_V2, exchange -> create(exchange, Timeouts.USUAL)),
        Route.of("POST", ALL, exchange -> create(exchange, Timeouts.USUAL_ONCE)),
        Route.of("GET", ALL_V2, this::list)
            .query("metadata", "state", "order", "startedAfter", "template", "limit", "nextToken"),
        Route.of("GET", ALL, this::listRunning).query("metadata"),
        Route.of("GET", ONE, this::show),
        Route.of("DELETE", ONE, this::kill),
        Route.of("PUT", ONE + "/network", this::changeNetwork));
  }

  private void create(Exchange exchange, Duration usual) throws IOException {
    NewSandbox body = exchange.looseJson(NewSandbox.class);
    body.requireConsistent();
    Timeouts.Wanted timeout = body.timeout(usual);
    Optional<Checkpoint> snapshot = snapshots.find(body.template());
    Sandbox made =
        values.binding(() ->
            snapshot.isPresent()
                ? begin(snapshot.get(), body, timeout)
                : create(exchange, body, timeout));
    exchange.send(201, handles.of(exchange, made));
  }

  private Sandbox create(Exchange exchange, NewSandbox body, Timeouts.Wanted timeout) {
    String template = templates.ours(body.template());
    if (templates.isStandIn(body.template())) {
      supply.prepare(Recipes.BASE);
    }
    var wish =
        new CreateSandbox(
            Optional.empty(),
            template,
            TierWish.ANY,
            ResourceWish.NOTHING,
            Fields.textMap("envVars", body.envVars()),
            body.labels(timeout),
            volumes(body),
            Optional.empty(),
            Optional.of(OutRules.settings(body.allowInternetAccess(), body.network(), values)),
            Optional.empty(),
            timeout.rules(),
            List.of(),
            Optional.empty(),
            Optional.empty());
    String provided = supply.provided(exchange, template, Optional.empty());
    return lifecycle.create(wish.withTemplate(provided)).sandbox();
  }

  private Sandbox begin(Checkpoint snapshot, NewSandbox body, Timeouts.Wanted timeout) {
    var wish =
        new Branches.FromCheckpoint(
            Optional.empty(),
            TierWish.ANY,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Fields.textMap("envVars", body.envVars()),
            body.labels(timeout),
            volumes(body),
            Optional.empty(),
            Optional.of(OutRules.settings(body.allowInternetAccess(), body.network(), values)),
            Optional.empty(),
            timeout.rules(),
            List.of(),
            Optional.empty(),
            Optional.empty());
    return branches.create(snapshot.id().value(), wish).sandbox();
  }

  private static List<VolumeWish> volumes(NewSandbox body) {
    if (body.volumeMounts() == null) {
      return List.of();
    }
    return body.volumeMounts().stream()
        .map(mount -> Fields.require("volumeMounts[]", mount))
        .map(mount ->
            new VolumeWish(
                Fields.require("volumeMounts[].name", mount.name()),
                Fields.require("volumeMounts[].path", mount.path()),
                false))
        .toList();
  }

  private void list(Exchange exchange) {
    ListPage page = ListPage.of(lifecycle, ListQuery.of(exchange));
    page.nextToken().ifPresent(token -> exchange.withHeader("X-Next-Token", token));
    exchange
        .withHeader("X-Total-Running", String.valueOf(page.running()))
        .send(200, page.items().stream().map(Bodies::listed).toList());
  }

  private void listRunning(Exchange exchange) {
    ListPage page = ListPage.of(lifecycle, ListQuery.running(exchange));
    exchange.send(200, page.items().stream().map(Bodies::listed).toList());
  }

  private void show(Exchange exchange) {
    exchange.send(200, Bodies.detail(envd.named(exchange), envd));
  }

  private void kill(Exchange exchange) {
    lifecycle.delete(envd.named(exchange).id().value());
    exchange.sendNothing(204);
  }

  /** All of it at once: what is left out is no more. */
  private void changeNetwork(Exchange exchange) throws IOException {
    Sandbox sandbox = envd.named(exchange);
    NetworkUpdate body = exchange.looseJson(NetworkUpdate.class);
    values.binding(() -> {
      NetworkSettings wanted = body.settings(values);
      return lifecycle.changeNetwork(
          sandbox.id().value(), settings -> settings.with(wanted.policy()).with(wanted.secrets()));
    });
    values.sweepSoon();
    exchange.sendNothing(204);
  }
}
