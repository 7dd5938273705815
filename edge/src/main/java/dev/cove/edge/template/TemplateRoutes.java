package dev.cove.edge.template;

import dev.cove.control.build.BuildContext;
import dev.cove.control.build.BuildLog;
import dev.cove.control.build.BuildPlan;
import dev.cove.control.build.BuildRequest;
import dev.cove.control.build.Builds;
import dev.cove.control.build.Cancellation;
import dev.cove.control.build.Dockerfile;
import dev.cove.control.build.ImageExport;
import dev.cove.control.build.Upload;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.edge.archive.GunzippedInput;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.edge.http.Query;
import dev.cove.edge.http.Route;
import dev.cove.edge.network.NetworkBody;
import dev.cove.edge.sandbox.LifeBody;
import dev.cove.edge.sandbox.LimitsBody;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ResourceWish;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The routes of templates. A build that nobody waits for any more is cancelled. */
public final class TemplateRoutes {
  private static final String ALL = "/api/v1/templates";
  private static final String ONE = ALL + "/{template}";

  private final Catalogue catalogue;
  private final Builds builds;
  private final ImageExport images;

  public TemplateRoutes(Catalogue catalogue, Builds builds, ImageExport images) {
    this.catalogue = catalogue;
    this.builds = builds;
    this.images = images;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ALL, this::list),
        Route.of("POST", ALL, this::make),
        Route.of("POST", ALL + "/from-context", this::fromContext)
            .query(
                "name",
                "tag",
                "dockerfile",
                "argument",
                "target",
                "network",
                "life",
                "limits",
                "noCache"),
        Route.of("POST", ALL + "/from-archive", this::fromArchive).query("name", "tag"),
        Route.of("GET", ONE, this::show),
        Route.of("DELETE", ONE, this::delete),
        Route.of("GET", ONE + "/image", this::image),
        Route.of("PUT", ONE + "/tags/{tag}", this::tag));
  }

  private void list(Exchange exchange) throws IOException {
    exchange.sendLong(200, new ListBody(catalogue.list().stream().map(TemplateBody::of).toList()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, TemplateBody.of(catalogue.show(exchange.path("template"))));
  }

  private void delete(Exchange exchange) {
    catalogue.remove(exchange.path("template"));
    exchange.sendNothing(204);
  }

  private void tag(Exchange exchange) {
    exchange.send(
        200, TemplateBody.of(catalogue.tag(exchange.path("template"), exchange.path("tag"))));
  }

  /** As an image that other programs load. */
  private void image(Exchange exchange) throws IOException {
    try (ImageExport.Ready ready = images.prepare(exchange.path("template"))) {
      exchange.withHeader("Content-Disposition", "attachment");
      exchange.withHeader("Cache-Control", "no-store");
      ready.writeTo(exchange.stream(200, "application/x-tar", OptionalLong.empty()));
    }
  }

  private void make(Exchange exchange) throws IOException {
    build(exchange, exchange.json(MakeBody.class).toRequest());
  }

  private void fromArchive(Exchange exchange) throws IOException {
    Query query = exchange.query();
    String name = query.require("name");
    try (Upload archive = keep(exchange)) {
      build(exchange, BuildRequest.of(name, query.all("tag"), new BuildPlan.FromArchive(archive)));
    }
  }

  private Upload keep(Exchange exchange) throws IOException {
    return builds.spool().keep(GunzippedInput.orPlain(exchange.body()));
  }

  private void fromContext(Exchange exchange) throws IOException {
    Query query = exchange.query();
    String name = query.require("name");
    Map<String, String> arguments = arguments(query.all("argument"));
    Optional<NetworkSettings> network = network(query);
    LifeRules life = life(query);
    ResourceWish limits = limits(query);
    OptionalInt afresh = MakeBody.afresh(query.flag("noCache", false));
    try (Upload files = keep(exchange)) {
      BuildContext context = files.asContext();
      Dockerfile dockerfile = dockerfile(context, query, arguments);
      build(
          exchange,
          BuildRequest.of(
                  name,
                  query.all("tag"),
                  new BuildPlan.Stages(
                      dockerfile, arguments, Optional.of(context), Optional.empty(), afresh))
              .with(network, life, limits));
    }
  }

  /** The body is taken by files, so this is JSON in the query. */
  private static Optional<NetworkSettings> network(Query query) {
    return query
        .find("network")
        .map(text -> Json.read(text.getBytes(StandardCharsets.UTF_8), NetworkBody.class))
        .map(NetworkBody::toSettings);
  }

  private static LifeRules life(Query query) {
    return query
        .find("life")
        .map(text -> Json.read("{\"life\":" + text + "}", LifeSaid.class).life())
        .map(LifeBody::rules)
        .orElse(LifeRules.SILENT);
  }

  private static ResourceWish limits(Query query) {
    return query
        .find("limits")
        .map(text -> Json.read(text.getBytes(StandardCharsets.UTF_8), LimitsBody.class))
        .map(LimitsBody::toWish)
        .orElse(ResourceWish.NOTHING);
  }

  record LifeSaid(@Nullable Map<String, @Nullable Object> life) {}

  private static Dockerfile dockerfile(
      BuildContext context, Query query, Map<String, String> arguments) throws IOException {
    String path = query.find("dockerfile").orElse("Dockerfile");
    String text =
        context
            .text(path)
            .orElseThrow(() ->
                new CoveException(
                    ErrorCode.INVALID_REQUEST,
                    "The files that were sent have no %.200s.".formatted(path)));
    Dockerfile whole = Dockerfile.parse(text, arguments);
    return query.find("target").map(whole::upTo).orElse(whole);
  }

  private static Map<String, String> arguments(List<String> pairs) {
    var arguments = new HashMap<String, String>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "Query parameter argument must have the form NAME=value");
      }
      arguments.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return arguments;
  }

  private void build(Exchange exchange, BuildRequest request) throws IOException {
    var cancellation = new Cancellation();
    if (!exchange.accepts("text/event-stream")) {
      try (ClientPresence _ =
          exchange.watchClient(() -> cancellation.cancel("the caller went away"))) {
        send(exchange, builds.build(request, BuildLog.SILENT, cancellation));
      }
      return;
    }
    EventStream events = exchange.events();
    try (ClientPresence _ =
            exchange.watchClient(() -> cancellation.cancel("the caller went away"));
        Pulse.Beside _ = exchange.pulse(events).beside(cancellation::cancel)) {
      TemplateVersion made =
          builds.build(request, new BuildEvents(events, cancellation), cancellation);
      events.send("done", TemplateBody.of(catalogue.show(made.reference())));
    } catch (CoveException e) {
      events.send("error", Problem.of(e, "template build"));
    }
  }

  private void send(Exchange exchange, TemplateVersion made) {
    exchange.send(201, TemplateBody.of(catalogue.show(made.reference())));
  }

  record ListBody(List<TemplateBody> items) {}
}
