package dev.cove.edge.system;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.node.Node;
import dev.cove.node.NodeStatus;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a Prometheus server asks for. */
public final class MetricRoutes {
  private static final int PAGE = 1_000;

  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;
  private final Node node;
  private final Counters counters;

  public MetricRoutes(
      SandboxLifecycle lifecycle, AutomaticCheckpoints automatic, Node node, Counters counters) {
    this.lifecycle = lifecycle;
    this.automatic = automatic;
    this.node = node;
    this.counters = counters;
  }

  public List<Route> routes() {
    return List.of(Route.of("GET", "/metrics", this::metrics));
  }

  private void metrics(Exchange exchange) {
    var out = new Exposition();
    writeSandboxes(out);
    writeNode(out, node.status());
    writeCheckpoints(out);
    writeProcess(out);
    counters.write(out);
    exchange.send(200, Exposition.MEDIA_TYPE, out.bytes());
  }

  private void writeSandboxes(Exposition out) {
    var byState = new TreeMap<String, Integer>();
    Optional<String> cursor = Optional.empty();
    do {
      SandboxPage page = lifecycle.list(Map.of(), PAGE, cursor);
      for (Sandbox sandbox : page.items()) {
        byState.merge(sandbox.state().publicName(), 1, Integer::sum);
      }
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    out.family("cove_sandboxes", "gauge", "Sandboxes that exist, by state.");
    byState.forEach((state, count) -> out.sample("cove_sandboxes", Map.of("state", state), count));
  }

  private static void writeNode(Exposition out, NodeStatus status) {
    out.gauge(
        "cove_node_sandboxes", "Sandboxes that hold a place on this machine.", status.sandboxes());
    out.gauge(
        "cove_node_max_sandboxes", "Places for sandboxes on this machine.", status.maxSandboxes());
    out.gauge("cove_node_warm_cages", "Cages that stand ready.", status.warmCages());
    out.gauge(
        "cove_node_memory_available_bytes",
        "Memory that new sandboxes could use.",
        (double) status.memoryAvailableBytes());
  }

  private void writeCheckpoints(Exposition out) {
    out.family(
        "cove_automatic_checkpoint_failures_total",
        "counter",
        "Checkpoints that were due by a sandbox's rules and could not be taken.");
    out.sample("cove_automatic_checkpoint_failures_total", Map.of(), (double) automatic.failures());
  }

  private static void writeProcess(Exposition out) {
    Runtime runtime = Runtime.getRuntime();
    out.gauge(
        "jvm_memory_used_bytes",
        "Heap in use.",
        (double) runtime.totalMemory() - runtime.freeMemory());
    out.gauge("jvm_memory_max_bytes", "Heap at most.", (double) runtime.maxMemory());
    out.gauge(
        "process_start_time_seconds",
        "When the server started.",
        ManagementFactory.getRuntimeMXBean().getStartTime() / 1_000.0);
  }
}
