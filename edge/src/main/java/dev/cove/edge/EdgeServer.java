package dev.cove.edge;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.ServiceControl;
import dev.cove.edge.archive.ArchiveRoutes;
import dev.cove.edge.checkpoint.CheckpointFileRoutes;
import dev.cove.edge.checkpoint.CheckpointRoutes;
import dev.cove.edge.checkpoint.RuleRoutes;
import dev.cove.edge.code.CodeInterpreter;
import dev.cove.edge.code.CodeRoutes;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.event.EventRoutes;
import dev.cove.edge.event.WebhookRoutes;
import dev.cove.edge.exec.ExecRoutes;
import dev.cove.edge.exec.OutputBudget;
import dev.cove.edge.file.FileRoutes;
import dev.cove.edge.file.ListingBudget;
import dev.cove.edge.file.WatchRoutes;
import dev.cove.edge.http.Dialect;
import dev.cove.edge.http.HttpFront;
import dev.cove.edge.http.HttpLimits;
import dev.cove.edge.http.NativeDialect;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.WebSockets;
import dev.cove.edge.key.KeyRoutes;
import dev.cove.edge.move.MoveRoutes;
import dev.cove.edge.network.GroupRoutes;
import dev.cove.edge.network.NetworkRoutes;
import dev.cove.edge.port.PortLimits;
import dev.cove.edge.port.PortNames;
import dev.cove.edge.port.PortProxy;
import dev.cove.edge.port.ShareRoutes;
import dev.cove.edge.process.AttachRoutes;
import dev.cove.edge.process.PortRoutes;
import dev.cove.edge.process.ProcessRoutes;
import dev.cove.edge.project.ProjectRoutes;
import dev.cove.edge.review.ChangeRoutes;
import dev.cove.edge.review.CommandRoutes;
import dev.cove.edge.sandbox.RestRoutes;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.edge.sandbox.TemplateSupply;
import dev.cove.edge.secret.SecretRoutes;
import dev.cove.edge.service.LogRoutes;
import dev.cove.edge.service.ServiceRoutes;
import dev.cove.edge.system.BackupRoutes;
import dev.cove.edge.system.Counters;
import dev.cove.edge.system.DiskRoutes;
import dev.cove.edge.system.MetricRoutes;
import dev.cove.edge.system.OpenApiRoutes;
import dev.cove.edge.system.SystemRoutes;
import dev.cove.edge.template.TemplateRoutes;
import dev.cove.edge.tier.TierRoutes;
import dev.cove.edge.usage.BudgetRoutes;
import dev.cove.edge.usage.UsageRoutes;
import dev.cove.edge.volume.VolumeFiles;
import dev.cove.edge.volume.VolumeRoutes;
import dev.cove.node.Node;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

/** The API server. Whoever starts it has everything behind it ready: it is healthy at once. */
public final class EdgeServer implements AutoCloseable {
  private final HttpFront front;
  private final PortProxy proxy;
  private final List<Route> routes;

  private EdgeServer(HttpFront front, PortProxy proxy, List<Route> routes) {
    this.front = front;
    this.proxy = proxy;
    this.routes = routes;
  }

  public static EdgeServer start(EdgeConfig config, EdgeServices services) throws IOException {
    return start(config, services, HttpLimits.DEFAULT, PortLimits.DEFAULT);
  }

  static EdgeServer start(
      EdgeConfig config, EdgeServices services, HttpLimits limits, PortLimits portLimits)
      throws IOException {
    SandboxLifecycle lifecycle = services.lifecycle();
    Node node = services.node();
    ApiKeys keys = services.keys();
    var sockets = new WebSockets(limits);
    AutomaticCheckpoints automatic = services.automatic();
    var control = new ServiceControl(lifecycle, services.services());
    var counters = new Counters();
    var listings = new ListingBudget();
    var supply = new TemplateSupply(services.builds());
    var names = new PortNames(config.domain(), config.host());
    var e2b = new E2bDialect(services, supply, listings, names, config.makesBase());
    var interpreter = new CodeInterpreter(lifecycle);
    var proxy =
        new PortProxy(
            lifecycle, services.ports(), keys, names, e2b.portAccess(), interpreter, portLimits);
    List<Route> routes =
        Stream.of(
                new SystemRoutes(node, services.readiness(), config.version()).routes(),
                new BackupRoutes(services.backups()).routes(),
                new DiskRoutes(services.layers(), services.volumes()).routes(),
                new MetricRoutes(lifecycle, automatic, node, counters).routes(),
                new OpenApiRoutes().routes(),
                new KeyRoutes(keys, services.projects()).routes(),
                new ProjectRoutes(services.projects(), lifecycle).routes(),
                new TierRoutes(lifecycle).routes(),
                new EventRoutes(services.events(), lifecycle).routes(),
                new WebhookRoutes(services.webhooks()).routes(),
                new UsageRoutes(services.usage(), Clock.systemUTC()).routes(),
                new BudgetRoutes(services.budgets(), lifecycle, services.projects()).routes(),
                new SandboxRoutes(lifecycle, services.branches(), services.reviews(), supply)
                    .routes(),
                new ChangeRoutes(services.reviews()).routes(),
                new CommandRoutes(services.reviews()).routes(),
                new RestRoutes(lifecycle).routes(),
                new ServiceRoutes(control).routes(),
                new LogRoutes(lifecycle, services.services().logs()).routes(),
                new TemplateRoutes(services.templates(), services.builds(), services.images())
                    .routes(),
                new MoveRoutes(
                        services.moves(),
                        services.branches(),
                        services.checkpoints(),
                        services.builds().spool())
                    .routes(),
                new CheckpointRoutes(services.branches(), services.checkpoints()).routes(),
                new CheckpointFileRoutes(services.checkpoints(), services.inspection(), listings)
                    .routes(),
                new RuleRoutes(automatic).routes(),
                new NetworkRoutes(lifecycle, node.networks()).routes(),
                new SecretRoutes(lifecycle, node.secrets()).routes(),
                new GroupRoutes(lifecycle).routes(),
                new ExecRoutes(lifecycle, automatic, node, new OutputBudget()).routes(),
                new ProcessRoutes(lifecycle, automatic).routes(),
                new CodeRoutes(lifecycle, automatic, interpreter).routes(),
                new AttachRoutes(lifecycle, control, automatic, node, sockets).routes(),
                new PortRoutes(lifecycle, sockets).routes(),
                new ShareRoutes(lifecycle, services.ports(), names, proxy).routes(),
                FileRoutes.ofSandboxes(lifecycle, listings).routes(),
                new VolumeRoutes(services.volumes()).routes(),
                new VolumeFiles(services.volumes()).routes(listings).routes(),
                new WatchRoutes(lifecycle).routes(),
                new ArchiveRoutes(lifecycle).routes())
            .flatMap(List::stream)
            .toList();
    var listen = new HttpFront.Address(config.host(), config.port(), config.domain());
    boolean started = false;
    try {
      List<Dialect> dialects = List.of(e2b, new NativeDialect(routes));
      HttpFront front =
          HttpFront.start(
              listen, limits, dialects, keys, services.projects(), counters, sockets, proxy);
      started = true;
      return new EdgeServer(front, proxy, routes);
    } finally {
      if (!started) {
        proxy.close();
      }
    }
  }

  /** What it answers to, for the test that holds the API description against it. */
  List<Route> routes() {
    return routes;
  }

  /** The port it listens on, also when any free one was asked for. */
  public int port() {
    return front.port();
  }

  /** Stops taking requests, gives those at work a moment, and closes. */
  @Override
  public void close() {
    try {
      front.close();
    } finally {
      proxy.close();
    }
  }
}
