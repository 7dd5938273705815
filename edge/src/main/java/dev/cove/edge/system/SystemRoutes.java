package dev.cove.edge.system;

import dev.cove.control.health.Readiness;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.tier.BoundaryBody;
import dev.cove.engine.EngineReport;
import dev.cove.model.CoveException;
import dev.cove.model.Tier;
import dev.cove.node.Node;
import dev.cove.node.NodeStatus;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Health and capacity. */
public final class SystemRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(SystemRoutes.class);

  private final Node node;
  private final Readiness readiness;
  private final String version;

  public SystemRoutes(Node node, Readiness readiness, String version) {
    this.node = node;
    this.readiness = readiness;
    this.version = version;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/healthz", this::health).openToAll(),
        Route.of("GET", "/readyz", this::ready).openToAll(),
        Route.of("GET", "/api/v1/system", this::system).forOperators());
  }

  private void health(Exchange exchange) {
    exchange.withHeader("Cache-Control", "no-store");
    try {
      node.status();
    } catch (CoveException e) {
      LOG.warn("Not healthy: {}", e.getMessage());
      exchange.send(503, new HealthBody("failed", version));
      return;
    }
    exchange.send(200, new HealthBody("ok", version));
  }

  /** Unlike health, which says that the process lives and that restarting it would not help. */
  private void ready(Exchange exchange) {
    exchange.withHeader("Cache-Control", "no-store");
    List<PartBody> parts = parts();
    boolean ready = parts.stream().allMatch(part -> part.status().equals(PartBody.OK));
    exchange.send(ready ? 200 : 503, new ReadyBody(ready ? "ready" : "unready", version, parts));
  }

  private List<PartBody> parts() {
    return readiness.look().stream().map(PartBody::of).toList();
  }

  private void system(Exchange exchange) {
    NodeStatus status = node.status();
    exchange.send(
        200,
        new SystemBody(
            version,
            status.sandboxes(),
            status.maxSandboxes(),
            status.warmCages(),
            status.memoryAvailableBytes(),
            status.diskLimits(),
            parts(),
            node.engines().entrySet().stream()
                .map(entry -> EngineBody.of(entry.getKey(), entry.getValue()))
                .toList()));
  }

  record HealthBody(String status, String version) {}

  record ReadyBody(String status, String version, List<PartBody> parts) {}

  record PartBody(String name, String status, String detail) {
    static final String OK = "ok";

    static PartBody of(Readiness.Finding finding) {
      return new PartBody(
          finding.part(), finding.well() ? OK : "failing", finding.complaint().orElse(""));
    }
  }

  record SystemBody(
      String version,
      int sandboxes,
      int maxSandboxes,
      int warm,
      long memoryAvailableBytes,
      boolean diskLimits,
      List<PartBody> parts,
      List<EngineBody> engines) {}

  record EngineBody(
      String tier, boolean usable, BoundaryBody boundary, List<FindingBody> findings) {
    static EngineBody of(Tier tier, EngineReport report) {
      return new EngineBody(
          tier.publicName(),
          report.usable(),
          BoundaryBody.of(report.boundary()),
          report.findings().stream().map(FindingBody::of).toList());
    }
  }

  record FindingBody(String severity, String subject, String detail) {
    static FindingBody of(EngineReport.Finding finding) {
      return new FindingBody(
          finding.severity().name().toLowerCase(Locale.ROOT), finding.subject(), finding.detail());
    }
  }
}
