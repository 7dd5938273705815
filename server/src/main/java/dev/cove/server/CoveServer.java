package dev.cove.server;

import dev.cove.control.backup.Backups;
import dev.cove.control.build.Builds;
import dev.cove.control.build.ImageExport;
import dev.cove.control.build.Spool;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.event.Events;
import dev.cove.control.health.Readiness;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.key.LocalKey;
import dev.cove.control.layer.DiskWatch;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.SqliteLibrary;
import dev.cove.control.log.SandboxLogs;
import dev.cove.control.move.Moves;
import dev.cove.control.port.Ports;
import dev.cove.control.project.Projects;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CommandLog;
import dev.cove.control.sandbox.InsideCheckpoints;
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
import dev.cove.control.webhook.WebhookLimits;
import dev.cove.control.webhook.Webhooks;
import dev.cove.edge.EdgeConfig;
import dev.cove.edge.EdgeServer;
import dev.cove.edge.EdgeServices;
import dev.cove.egress.Gateway;
import dev.cove.egress.GatewayLimits;
import dev.cove.egress.GatewaySettings;
import dev.cove.egress.NetworkOwner;
import dev.cove.egress.intercept.RequestInspection;
import dev.cove.egress.name.Resolver;
import dev.cove.egress.secret.SandboxCertificates;
import dev.cove.egress.secret.Vault;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.engine.container.EngineHome;
import dev.cove.engine.container.EngineSettings;
import dev.cove.engine.container.OomScore;
import dev.cove.engine.microvm.Qemu;
import dev.cove.engine.oci.OciEngine;
import dev.cove.node.Engines;
import dev.cove.node.LocalNode;
import dev.cove.node.Node;
import dev.cove.node.NodeConfig;
import dev.cove.node.NodeSecrets;
import dev.cove.node.image.ZstdLibrary;
import dev.cove.node.secret.LocalSecrets;
import dev.cove.server.trace.OtlpExporter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
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
    if (!OomScore.protect()) {
      log.warn("The kernel may kill this server when memory runs out; cove doctor says why");
    }
    config
        .traces()
        .collector()
        .ifPresent(to -> keep("traces", OtlpExporter.start(to, CoveVersion.CURRENT)));
    Ledger ledger = keep("ledger", openLedger(home));
    ApiKeys keys = ApiKeys.open(ledger, clock);
    makeLocalKey(keys, home);
    Events events = keep("events", Events.open(ledger, clock));
    var owner = new PolicyOwner(events);
    Vault vault = openVault(home, clock);
    Gateway gateway = keep("gateway", openGateway(config, owner, vault, clock));
    Webhooks webhooks = keep("webhooks", openWebhooks(ledger, events, gateway, home, clock));
    NodeSecrets secrets = new LocalSecrets(vault, gateway::looksIntoTls);
    Node node = keep("node", openNode(config, gateway, secrets));
    Projects projects = Projects.open(ledger, keys, secrets, clock);
    projects.limitEgress(node.networks()::limit);
    var layers = new Layers(node);
    var templates = new Catalogue(ledger, layers, clock);
    var volumes = new Volumes(ledger, node.volumes(), clock);
    var services =
        new Services(
            ledger,
            node,
            new SandboxLogs(home.data().resolve("logs"), config.sandboxLogBytes(), clock),
            ServiceLimits.beginningWith(Duration.ofMillis(config.serviceBackoffMs())),
            clock);
    SandboxLifecycle lifecycle =
        keep(
            "lifecycle",
            SandboxLifecycle.recover(
                ledger,
                node,
                templates,
                volumes,
                config.life().usual(),
                services,
                config.life().keptAfterDeletion(),
                clock));
    var budgets = new Budgets(ledger, clock, config.usage().prices());
    keep("metering", lifecycle.meter(ledger, clock, config.usage().metering(budgets)));
    owner.keepWith(lifecycle);
    Ports ports = Ports.open(ledger, clock);
    lifecycle.whenGone(ports::forget);
    lifecycle.limit(projects::quotas);
    lifecycle.usualTier(project -> projects.tier(project).orElse(config.tiers().usual()));
    lifecycle.queue(Duration.ofMillis(config.createWaitMs()), config.createQueue());
    var checkpoints = new Checkpoints(ledger, node, layers, clock);
    var cache = new BuildCache(ledger, layers, clock);
    var spool = new Spool(home.data().resolve("builds"));
    var builds = keep("builds", new Builds(node, layers, templates, cache, checkpoints, spool));
    var branches = new Branches(lifecycle, checkpoints, layers, node);
    var views = keep("views", new Views(node, layers));
    var inspection = new Inspection(lifecycle, checkpoints, layers, views, node);
    var automatic =
        keep("automatic checkpoints", new AutomaticCheckpoints(lifecycle, checkpoints, clock));
    node.onCheckpointAsked(new InsideCheckpoints(lifecycle, checkpoints, clock)::take);
    var commands = new CommandLog(ledger, clock);
    automatic.record(commands);
    var images = new ImageExport(templates, views, builds.spool());
    var moves = new Moves(node, layers, checkpoints, templates);
    var backups = new Backups(ledger, branches, layers, node, spool, home.data(), clock);
    layers.begin();
    keep("disk watch", DiskWatch.start(layers, node, config.diskWantedBytes()));
    automatic.begin();
    Readiness readiness =
        keep("readiness", Readiness.watch(ledger, node, config.diskReserveBytes()));
    EdgeServer edge =
        keep(
            "edge",
            listen(
                config,
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
                    projects,
                    events,
                    new Usage(ledger, config.usage().prices()),
                    budgets,
                    webhooks,
                    readiness,
                    openE2bTokens(home),
                    backups,
                    node)));
    gateway.addOwnPort(edge.port());
    node.begin();
    keep("lives", lifecycle.watchLives(config.life().idleCpu())).begin();
    keep("schedules", lifecycle.watchSchedules()).begin();
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

  private static Vault openVault(Home home, Clock clock) {
    Path folder = home.data().resolve("secrets");
    try {
      return Vault.open(folder, clock);
    } catch (IOException e) {
      throw new StartException(
          "Cannot use the secrets in %s: %s".formatted(folder, e.getMessage()), e);
    }
  }

  private static Gateway openGateway(
      ServerConfig config, NetworkOwner owner, Vault vault, Clock clock) {
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
            GatewayLimits.USUAL.with(network.most()));
    try {
      var certificates = new SandboxCertificates(folder, vault, clock);
      return new Gateway(
          settings, owner, new RequestInspection(vault, certificates, network.trusted()), clock);
    } catch (IOException e) {
      throw new StartException("Cannot use %s (%s).".formatted(folder, e), e);
    }
  }

  private static DerivedSecrets openE2bTokens(Home home) {
    try {
      return DerivedSecrets.open(home.e2bKey());
    } catch (IOException e) {
      throw new StartException("Cannot use %s (%s).".formatted(home.e2bKey(), e), e);
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

  private static Node openNode(ServerConfig config, Gateway gateway, NodeSecrets secrets) {
    Home home = config.home();
    var containers =
        ContainerEngine.open(
            new EngineHome(home.data(), home.run()),
            EngineSettings.DEFAULT.withDevices(config.tiers().devices()));
    containers.limitMemory(config.memory().totalBytes());
    return new LocalNode(
        new NodeConfig(
            home.data(),
            config.memory().admitting(config.maxSandboxes()),
            config.diskReserveBytes(),
            config.tiers().warmCages()),
        new Engines(
            containers.store(),
            List.of(
                containers,
                OciEngine.gvisor(containers, config.tiers().gvisor()),
                containers.machines(Qemu.open(home.data(), home.run())))),
        gateway,
        secrets);
  }

  private static void makeLocalKey(ApiKeys keys, Home home) {
    try {
      LocalKey.ensure(keys, home.localKey());
    } catch (IOException e) {
      throw new StartException("Cannot write %s (%s).".formatted(home.localKey(), e), e);
    }
  }

  private static EdgeServer listen(ServerConfig config, EdgeServices services) {
    var edge =
        new EdgeConfig(
            config.host(), config.port(), config.domain(), config.makesBase(), CoveVersion.CURRENT);
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
