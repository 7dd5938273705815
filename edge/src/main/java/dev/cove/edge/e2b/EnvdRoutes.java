package dev.cove.edge.e2b;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.util.List;

/** What E2B's daemon tells of a sandbox and of itself. */
final class EnvdRoutes {
  private final Envd envd;
  private final SandboxLifecycle lifecycle;
  private final SandboxFigures figures;

  EnvdRoutes(Envd envd, SandboxLifecycle lifecycle, SandboxFigures figures) {
    this.envd = envd;
    this.lifecycle = lifecycle;
    this.figures = figures;
  }

  List<Route> routes() {
    return List.of(
        Route.of("GET", E2bDialect.ROOT + "/health", this::health).openToAll(),
        Route.of("GET", E2bDialect.ROOT + "/envs", this::environment).openToAll(),
        Route.of("GET", E2bDialect.ROOT + "/metrics", this::metrics).openToAll());
  }

  /** Of a sandbox where one is named, and else of this server, which answers when it is well. */
  private void health(Exchange exchange) {
    if (exchange.header("E2b-Sandbox-Id").isPresent()) {
      envd.find(exchange);
    }
    exchange.sendNothing(204);
  }

  private void environment(Exchange exchange) {
    Sandbox sandbox = envd.require(exchange);
    exchange
        .withHeader("Cache-Control", "no-store")
        .send(200, SandboxVariables.of(lifecycle, sandbox));
  }

  private void metrics(Exchange exchange) {
    Sandbox sandbox = envd.require(exchange);
    exchange.withHeader("Cache-Control", "no-store").send(200, Figures.of(figures.now(sandbox)));
  }

  /** The names are E2B's. */
  record Figures(
      long ts,
      @JsonProperty("cpu_count") int cpuCount,
      @JsonProperty("cpu_used_pct") double cpuUsedPct,
      @JsonProperty("mem_total") long memTotal,
      @JsonProperty("mem_used") long memUsed,
      @JsonProperty("mem_cache") long memCache,
      @JsonProperty("mem_total_mib") long memTotalMib,
      @JsonProperty("mem_used_mib") long memUsedMib,
      @JsonProperty("disk_used") long diskUsed,
      @JsonProperty("disk_total") long diskTotal) {
    static Figures of(SandboxFigures.Sample sample) {
      return new Figures(
          sample.at().getEpochSecond(),
          sample.cpuCount(),
          sample.cpuUsedPct(),
          sample.memTotal(),
          sample.memUsed(),
          0, // what is cached is the host's, and not counted
          sample.memTotalMib(),
          sample.memUsedMib(),
          sample.diskUsed(),
          sample.diskTotal());
    }
  }
}
