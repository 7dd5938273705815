package dev.cove.edge;

import dev.cove.control.backup.Backups;
import dev.cove.control.build.Builds;
import dev.cove.control.build.ImageExport;
import dev.cove.control.build.Spool;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.event.Events;
import dev.cove.control.health.Readiness;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.log.SandboxLogs;
import dev.cove.control.move.Moves;
import dev.cove.control.port.Ports;
import dev.cove.control.project.Projects;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CommandLog;
import dev.cove.control.sandbox.Inspection;
import dev.cove.control.sandbox.Reviews;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.service.ServiceLimits;
import dev.cove.control.service.Services;
import dev.cove.control.template.BuildCache;
import dev.cove.control.template.Catalogue;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Usage;
import dev.cove.control.view.Views;
import dev.cove.control.volume.Volumes;
import dev.cove.control.webhook.Outlet;
import dev.cove.control.webhook.WebhookLimits;
import dev.cove.control.webhook.Webhooks;
import dev.cove.edge.http.HttpLimits;
import dev.cove.edge.port.PortLimits;
import dev.cove.model.life.LifeRules;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The real edge on a real port, over real control and real agents without cages.
 *
 * <p>Ends with everything it started, whatever the test did.
 */
final class RunningEdge implements BeforeAllCallback, AfterAllCallback {
  static final JsonMapper JSON = JsonMapper.builder().build();
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpLimits limits;
  private final PortLimits portLimits;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Optional<Parts> parts = Optional.empty();
  private volatile Outlet outlet = (_, _, _) -> 204;

  private record Parts(
      Path folder,
      LocalNode node,
      Ledger ledger,
      SandboxLifecycle lifecycle,
      Views views,
      ApiKeys keys,
      Events events,
      Webhooks webhooks,
      Readiness readiness,
      EdgeServer server,
      String key) {}

  RunningEdge() {
    this(HttpLimits.DEFAULT);
  }

  RunningEdge(HttpLimits limits) {
    this(limits, PortLimits.DEFAULT);
  }

  RunningEdge(HttpLimits limits, PortLimits portLimits) {
    this.limits = limits;
    this.portLimits = portLimits;
  }

  /** With everything that takes seconds or minutes otherwise done in a moment. */
  static RunningEdge impatient() {
    return new RunningEdge(
        new HttpLimits(
            100,
            10,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            1_024,
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1)));
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    start();
  }

  void start() throws IOException {
    Path folder = Files.createTempDirectory("cove-edge");
    var node = new LocalNode(folder);
    var ledger = Ledger.open(folder.resolve("ledger.db"));
    var layers = new Layers(node);
    var templates = new Catalogue(ledger, layers, Clock.systemUTC());
    var volumes = new Volumes(ledger, node.volumes(), Clock.systemUTC());
    var services =
        new Services(
            ledger,
            node,
            new SandboxLogs(folder.resolve("logs"), 1 << 20, Clock.systemUTC()),
            ServiceLimits.beginningWith(Duration.ofMillis(20)),
            Clock.systemUTC());
    var lifecycle =
        SandboxLifecycle.recover(
            ledger,
            node,
            templates,
            volumes,
            LifeRules.SILENT,
            services,
            Duration.ZERO,
            Clock.systemUTC());
    var ports = Ports.open(ledger, Clock.systemUTC());
    lifecycle.whenGone(ports::forget);
    var keys = ApiKeys.open(ledger, Clock.systemUTC());
    var events = Events.open(ledger, Clock.systemUTC());
    var webhooks =
        Webhooks.open(
            ledger,
            events,
            folder.resolve("webhooks.key"),
            outlet,
            WebhookLimits.USUAL,
            Clock.systemUTC());
    var checkpoints = new Checkpoints(ledger, node, layers, Clock.systemUTC());
    var branches = new Branches(lifecycle, checkpoints, layers, node);
    var cache = new BuildCache(ledger, layers, Clock.systemUTC());
    var builds =
        new Builds(
            node, layers, templates, cache, checkpoints, new Spool(folder.resolve("builds")));
    var views = new Views(node, layers);
    var inspection = new Inspection(lifecycle, checkpoints, layers, views, node);
    var automatic = new AutomaticCheckpoints(lifecycle, checkpoints, Clock.systemUTC());
    var commands = new CommandLog(ledger, Clock.systemUTC());
    automatic.record(commands);
    var images = new ImageExport(templates, views, builds.spool());
    var moves = new Moves(node, layers, checkpoints, templates);
    layers.begin();
    var readiness = Readiness.watch(ledger, node, 0);
    var backups =
        new Backups(ledger, branches, layers, node, builds.spool(), folder, Clock.systemUTC());
    var server =
        EdgeServer.start(
            new EdgeConfig("127.0.0.1", 0, "localhost", false, "0.1.0-test"),
            new EdgeServices(
                lifecycle,
                services,
                branches,
                checkpoints,
                inspection,
                new Reviews(lifecycle, checkpoints, branches, layers, commands, node),
                automatic,
                templates,
                builds,
                images,
                moves,
                volumes,
                layers,
                ports,
                keys,
                Projects.open(ledger, keys, node.secrets(), Clock.systemUTC()),
                events,
                new Usage(ledger, Optional.empty()),
                new Budgets(ledger, Clock.systemUTC(), Optional.empty()),
                webhooks,
                readiness,
                DerivedSecrets.open(folder.resolve("e2b.key")),
                backups,
                node),
            limits,
            portLimits);
    String key = keys.issue("tests").secret();
    Files.createDirectory(folder.resolve("work"));
    parts =
        Optional.of(
            new Parts(
                folder, node, ledger, lifecycle, views, keys, events, webhooks, readiness, server,
                key));
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    stop();
  }

  void stop() throws IOException {
    client.close();
    if (parts.isEmpty()) {
      return;
    }
    parts.get().server().close();
    parts.get().readiness().close();
    parts.get().webhooks().close();
    parts.get().events().close();
    parts.get().views().close();
    parts.get().lifecycle().close();
    parts.get().ledger().close();
    parts.get().node().close();
    try (Stream<Path> files = Files.walk(parts.get().folder())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** What becomes of messages to webhooks from the next start on. */
  RunningEdge telling(Outlet newOutlet) {
    outlet = newOutlet;
    return this;
  }

  private Parts parts() {
    return parts.orElseThrow();
  }

  int port() {
    return parts().server().port();
  }

  String key() {
    return parts().key();
  }

  Ledger ledger() {
    return parts().ledger();
  }

  ApiKeys keys() {
    return parts().keys();
  }

  LocalNode node() {
    return parts().node();
  }

  EdgeServer server() {
    return parts().server();
  }

  SandboxLifecycle lifecycle() {
    return parts().lifecycle();
  }

  /** A new folder of the host that a test's agent may use as it likes. */
  Path work() throws IOException {
    return Files.createTempDirectory(parts().folder().resolve("work"), "w");
  }

  /** Returns when a condition holds that something else brings about. */
  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("It did not come about in time: " + what);
      }
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  static void awaitFile(Path file) {
    await(file + " is there", () -> Files.exists(file));
  }

  URI uri(String target) {
    return URI.create("http://127.0.0.1:" + port() + target);
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** A new sandbox's id. */
  String create() {
    return create("{}");
  }

  String create(String body) {
    Answer answer = post("/api/v1/sandboxes", body);
    if (answer.status() != 201) {
      throw new AssertionError(answer);
    }
    return answer.json().get("id").asString();
  }

  Answer get(String target) {
    return send(target, request -> request.GET());
  }

  Answer post(String target, String json) {
    return send(
        target,
        request ->
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
  }

  Answer patch(String target, String json) {
    return send(
        target,
        request ->
            request
                .header("Content-Type", "application/json")
                .method("PATCH", BodyPublishers.ofString(json)));
  }

  Answer put(String target, byte[] body) {
    return send(target, request -> request.PUT(BodyPublishers.ofByteArray(body)));
  }

  Answer delete(String target) {
    return send(target, request -> request.DELETE());
  }

  Answer exec(String box, String json) {
    return post("/api/v1/sandboxes/" + box + "/exec", json);
  }

  Answer send(String target, Consumer<HttpRequest.Builder> more) {
    var builder =
        HttpRequest.newBuilder(uri(target))
            .timeout(PATIENCE)
            .header("Authorization", "Bearer " + key());
    more.accept(builder);
    return Answer.of(raw(builder.build()));
  }

  HttpResponse<byte[]> raw(HttpRequest request) {
    try {
      return client.send(request, BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  HttpClient client() {
    return client;
  }

  /** An answer whose text can be compared. */
  record Answer(HttpResponse<byte[]> response) {
    static Answer of(HttpResponse<byte[]> response) {
      return new Answer(response);
    }

    int status() {
      return response.statusCode();
    }

    String text() {
      return new String(response.body(), StandardCharsets.UTF_8);
    }

    byte[] bytes() {
      return response.body();
    }

    JsonNode json() {
      return JSON.readTree(text());
    }

    String code() {
      return json().path("code").asString("");
    }

    String detail() {
      return json().path("detail").asString("");
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    @Override
    public String toString() {
      return status() + " " + text().substring(0, Math.min(500, text().length()));
    }
  }
}
