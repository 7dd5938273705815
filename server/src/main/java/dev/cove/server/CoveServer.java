package dev.cove.server;

import dev.cove.control.build.Builds;
import dev.cove.control.build.ImageExport;
import dev.cove.control.build.Spool;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.event.Events;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.LocalKey;
import dev.cove.control.layer.DiskWatch;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.SqliteLibrary;
import dev.cove.control.move.Moves;
import dev.cove.control.port.Ports;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.InsideCheckpoints;
import dev.cove.control.sandbox.Inspection;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.template.BuildCache;
import dev.cove.control.template.Catalogue;
import dev.cove.control.view.Views;
import dev.cove.control.volume.Volumes;
import dev.cove.control.webhook.WebhookLimits;
import dev.cove.control.webhook.Webhooks;
import dev.cove.edge.EdgeConfig;
import dev.cove.edge.EdgeServer;
import dev.cove.edge.EdgeServices;
import dev.cove.egress.Gateway;
import dev.cove.egress.GatewayLimits;
import dev.cove.egress.GatewaySettings;
import dev.cove.egress.NetworkOwner;
import dev.cove.egress.intercept.HttpInterception;
import dev.cove.egress.name.Resolver;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.engine.container.EngineHome;
import dev.cove.node.LocalNode;
import dev.cove.node.Node;
import dev.cove.node.NodeConfig;
import dev.cove.node.image.ZstdLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole process, in the order in which its parts come up; {@link #close} runs backwards. */
final class CoveServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CoveServer.class);

  private final Deque<Part> parts = new ArrayDeque<>();
  private String url = "";

  private record Part(String name, AutoCloseable closeable) {}

  private CoveServer() {}

  static CoveServer start(ServerConfig config) {
    var server = new CoveServer();
    boolean healthy = false;
    try {
      server.open(config);
      healthy = true;
      return server;
    } finally {
      if (!healthy) {
        server.close();
      }
    }
  }

  String url() {
    return url;
  }

  private void open(ServerConfig config) {
    Home home = config.home();
    Clock clock = Clock.systemUTC();
    keep("lock", HomeLock.claim(home));
    Ledger ledger = keep("ledger", openLedger(home));
    ApiKeys keys = ApiKeys.open(ledger, clock);
    makeLocalKey(keys, home);
    Events events = keep("events", Events.open(ledger, clock));
    var owner = new PolicyOwner(events);
    Gateway gateway = keep("gateway", openGateway(config, owner));
    Webhooks webhooks = keep("webhooks", openWebhooks(ledger, events, gateway, home, clock));
    Node node = keep("node", openNode(config, gateway));
    var layers = new Layers(node);
    var templates = new Catalogue(ledger, layers, clock);
    var volumes = new Volumes(ledger, node.volumes(), clock);
    SandboxLifecycle lifecycle =
        keep("lifecycle", SandboxLifecycle.recover(ledger, node, templates, volumes, clock));
    owner.keepWith(lifecycle);
    Ports ports = Ports.open(ledger, clock);
    lifecycle.whenGone(ports::forget);
    var checkpoints = new Checkpoints(ledger, node, layers, clock);
    var cache = new BuildCache(ledger, layers, clock);
    var spool = new Spool(home.data().resolve("builds"));
    var builds = new Builds(node, layers, templates, cache, checkpoints, spool);
    var branches = new Branches(lifecycle, checkpoints, layers, node);
    var views = keep("views", new Views(node, layers));
    var inspection = new Inspection(lifecycle, checkpoints, layers, views, node);
    var automatic =
        keep("automatic checkpoints", new AutomaticCheckpoints(lifecycle, checkpoints, clock));
    node.onCheckpointAsked(new InsideCheckpoints(lifecycle, checkpoints, clock)::take);
    var images = new ImageExport(templates, views, builds.spool());
    var moves = new Moves(node, layers, checkpoints, templates);
    layers.begin();
    keep("disk watch", DiskWatch.start(layers, node, config.diskWantedBytes()));
    automatic.begin();
    EdgeServer edge =
        keep(
            "edge",
            listen(
                config,
                new EdgeServices(
                    lifecycle,
                    branches,
                    checkpoints,
                    inspection,
                    automatic,
                    templates,
                    builds,
                    images,
                    moves,
                    volumes,
                    layers,
                    ports,
                    keys,
                    events,
                    webhooks,
                    node)));
    gateway.addOwnPort(edge.port());
    url = Announcement.localUrl(config.host(), edge.port());
    keep("announcement", Announcement.publish(home.announcement(), url));
    log.info("Cove {} listens on {}, data in {}", CoveVersion.CURRENT, url, home.data());
    if (config.reachableFromOutside()) {
      log.warn("{} is reachable from other machines, and what it speaks is not encrypted", url);
    }
  }

  private static Ledger openLedger(Home home) {
    try {
      SqliteLibrary.loadFrom(home.nativeCode());
      ZstdLibrary.loadFrom(home.nativeCode());
    } catch (IOException e) {
      throw new StartException(
          "Cannot unpack native code to %s (%s).".formatted(home.data(), e), e);
    }
    return Ledger.open(home.ledger());
  }

  private static Gateway openGateway(ServerConfig config, NetworkOwner owner) {
    NetworkConfig network = config.network();
    Path folder = config.home().data().resolve("networks");
    var settings =
        new GatewaySettings(
            folder,
            network.floor(),
            network.privateRanges(),
            List.of(),
            Set.of(),
            network.dns().map(Resolver::at).orElseGet(Resolver::ofTheSystem),
            GatewayLimits.USUAL);
    try {
      return new Gateway(settings, owner, HttpInterception.NONE);
    } catch (IOException e) {
      throw new StartException("Cannot use %s (%s).".formatted(folder, e), e);
    }
  }

  private static Webhooks openWebhooks(
      Ledger ledger, Events events, Gateway gateway, Home home, Clock clock) {
    try {
      return Webhooks.open(
          ledger, events, home.webhookKey(), gateway.calls()::post, WebhookLimits.USUAL, clock);
    } catch (IOException e) {
      throw new StartException("Cannot use %s (%s).".formatted(home.webhookKey(), e), e);
    }
  }

  private static Node openNode(ServerConfig config, Gateway gateway) {
    Home home = config.home();
    var engine = ContainerEngine.open(new EngineHome(home.data(), home.run()));
    return new LocalNode(
        new NodeConfig(
            home.data(),
            config.maxSandboxes(),
            config.memoryReserveMb() * 1024L * 1024L,
            config.diskReserveBytes(),
            config.warmCages()),
        engine,
        gateway);
  }

  private static void makeLocalKey(ApiKeys keys, Home home) {
    try {
      LocalKey.ensure(keys, home.localKey());
    } catch (IOException e) {
      throw new StartException("Cannot write %s (%s).".formatted(home.localKey(), e), e);
    }
  }

  private static EdgeServer listen(ServerConfig config, EdgeServices services) {
    var edge = new EdgeConfig(config.host(), config.port(), config.domain(), CoveVersion.CURRENT);
    try {
      return EdgeServer.start(edge, services);
    } catch (IOException e) {
      throw new StartException(
          "Cannot listen on %s port %d (%s). Choose another with --port or COVE_PORT; ss -ltnp says"
                  .formatted(config.host(), config.port(), e.getMessage())
              + " which program uses it.",
          e);
    }
  }

  private <T extends AutoCloseable> T keep(String name, T part) {
    parts.push(new Part(name, part));
    return part;
  }

  /** Each part is closed, whatever became of those above it. Sandboxes go on running. */
  @Override
  public void close() {
    for (Part part = parts.poll(); part != null; part = parts.poll()) {
      try {
        part.closeable().close();
      } catch (Exception e) {
        log.warn("The {} could not be closed in order", part.name(), e);
      }
    }
  }
}
