package dev.cove.edge.system;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.model.observe.Step;
import dev.cove.model.observe.Tally;
import dev.cove.node.Node;
import dev.cove.node.NodeDisk;
import dev.cove.node.NodeStatus;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a Prometheus server asks for. */
public final class MetricRoutes {
  private static final int PAGE = 1_000;

  /** Also shown when there are none, so that an alert has something to look at. */
  private static final List<String> STATES =
      List.of("starting", "running", "paused", "stopped", "failed");

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
    return List.of(Route.of("GET", "/metrics", this::metrics).forOperators());
  }

  private void metrics(Exchange exchange) {
    var out = new Exposition();
    writeSandboxes(out);
    writeNode(out, node.status());
    writeDisk(out);
    writeCheckpoints(out);
    writeSteps(out);
    for (Tally tally : Tally.values()) {
      out.counter(tally.metric(), tally.help(), (double) tally.sum());
    }
    out.gauge(
        "cove_places_waiting",
        "Requests that wait for a place on this machine.",
        lifecycle.waitingForPlaces());
    out.gauge("cove_ledger_queue", "Changes that wait for the ledger.", lifecycle.changesWaiting());
    writeProcess(out);
    counters.write(out);
    exchange.send(200, Exposition.MEDIA_TYPE, out.bytes());
  }

  private void writeSandboxes(Exposition out) {
    var byState = new TreeMap<String, Integer>();
    STATES.forEach(state -> byState.put(state, 0));
    Optional<String> cursor = Optional.empty();
    do {
      Optional<String> from = cursor;
      SandboxPage page = Scope.EVERYTHING.call(() -> lifecycle.list(Map.of(), PAGE, from));
      for (Sandbox sandbox : page.items()) {
        byState.merge(sandbox.state().publicName(), 1, Integer::sum);
      }
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    out.family("cove_sandboxes", "gauge", "Sandboxes that exist, by state.");
    byState.forEach((state, count) -> out.sample("cove_sandboxes", Map.of("state", state), count));
  }

  /** Failures are of all kinds, also those that are the caller's. */
  private static void writeSteps(Exposition out) {
    out.family("cove_step_seconds", "histogram", "What sandboxes wait for, by step.");
    for (Step step : Step.values()) {
      out.histogram("cove_step_seconds", "step", step.publicName(), step.durations());
    }
    out.family("cove_step_failures_total", "counter", "Steps that came to nothing.");
    for (Step step : Step.values()) {
      out.sample(
          "cove_step_failures_total", Map.of("step", step.publicName()), (double) step.failures());
    }
  }

  private void writeDisk(Exposition out) {
    NodeDisk.Space space = node.diskSpace();
    out.gauge("cove_disk_total_bytes", "The disk of the data.", (double) space.totalBytes());
    out.gauge("cove_disk_free_bytes", "What is free of it.", (double) space.freeBytes());
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
        "jvm_threads_current",
        "Platform threads; virtual ones are not counted.",
        ManagementFactory.getThreadMXBean().getThreadCount());
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      out.gauge(
          "process_open_fds", "Descriptors in use.", (double) system.getOpenFileDescriptorCount());
      out.gauge(
          "process_max_fds", "Descriptors at most.", (double) system.getMaxFileDescriptorCount());
      out.counter("process_cpu_seconds_total", "Processor time.", system.getProcessCpuTime() / 1e9);
    }
    out.gauge(
        "process_start_time_seconds",
        "When the server started.",
        ManagementFactory.getRuntimeMXBean().getStartTime() / 1_000.0);
  }
}
