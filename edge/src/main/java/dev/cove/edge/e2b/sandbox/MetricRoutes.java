package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.SandboxFigures;
import dev.cove.edge.e2b.SandboxFigures.Sample;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What sandboxes use, and have used of late. */
public final class MetricRoutes {
  private static final int MOST = 100;

  private final Envd envd;
  private final SandboxFigures figures;

  public MetricRoutes(Envd envd, SandboxFigures figures) {
    this.envd = envd;
    this.figures = figures;
  }

  /** Before those of single sandboxes, one of which could be called metrics. */
  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ALL + "/metrics", this::many).query("sandbox_ids"),
        Route.of("GET", SandboxRoutes.ONE + "/metrics", this::one).query("start", "end"));
  }

  private void one(Exchange exchange) {
    long start = exchange.query().number("start", 0, 0, Long.MAX_VALUE);
    long end = exchange.query().number("end", Long.MAX_VALUE, 0, Long.MAX_VALUE);
    Sandbox sandbox = envd.named(exchange);
    var samples = new ArrayList<>(figures.before(sandbox.id()));
    if (Bodies.isRunning(sandbox)) {
      samples.add(figures.now(sandbox));
    }
    exchange.send(
        200,
        samples.stream()
            .map(Body::of)
            .filter(one -> one.timestampUnix() >= start && one.timestampUnix() <= end)
            .toList());
  }

  private void many(Exchange exchange) {
    String[] ids = exchange.query().require("sandbox_ids").split(",");
    if (ids.length > MOST) {
      throw new IllegalArgumentException("At most %d sandboxes can be asked for".formatted(MOST));
    }
    var found = new LinkedHashMap<String, Body>();
    for (String id : ids) {
      envd.known(id)
          .filter(Bodies::isRunning)
          .ifPresent(sandbox -> found.put(id, Body.of(figures.now(sandbox))));
    }
    exchange.send(200, Map.of("sandboxes", found));
  }

  record Body(
      Instant timestamp,
      long timestampUnix,
      int cpuCount,
      double cpuUsedPct,
      long memUsed,
      long memTotal,
      long memCache,
      long diskUsed,
      long diskTotal) {
    static Body of(Sample sample) {
      return new Body(
          sample.at(),
          sample.at().getEpochSecond(),
          sample.cpuCount(),
          sample.cpuUsedPct(),
          sample.memUsed(),
          sample.memTotal(),
          0,
          sample.diskUsed(),
          sample.diskTotal());
    }
  }
}
