package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Section;
import dev.cove.sdk.CreateOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What many idle sandboxes cost together, and whether they all go away again. */
final class Density implements Measurement {
  private static final int FEW = 100;
  private static final int CLIENTS = 16;
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final Duration GONE_LIMIT = Duration.ofSeconds(30);
  private static final Duration GONE_PAUSE = Duration.ofMillis(200);

  /** Little promised memory each, so that a machine of a few gigabytes admits the crowd. */
  private static final CreateOptions SMALL = CreateOptions.defaults().memoryMb(64);

  @Override
  public String name() {
    return "density";
  }

  @Override
  public String title() {
    return "Many idle sandboxes, " + CLIENTS + " clients creating";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    var findings = new ArrayList<Finding>();
    Set<String> ids = new HashSet<>();
    Set<Path> cgroups;
    int crowd = bench.effort().crowd();
    BenchServer server =
        bench.startServer(Map.of("COVE_MAX_SANDBOXES", String.valueOf(crowd + FEW)));
    try (server) {
      create(server, FEW);
      server.deleteAll(
          CLIENTS); // Warm: neither the heap nor the pool is to be charged to the crowd.
      Thread.sleep(SETTLE);
      long before = Machine.availableKilobytes();
      Duration creating = Duration.ZERO;
      for (int target : crowd > FEW ? List.of(FEW, crowd) : List.of(crowd)) {
        var watch = new Stopwatch();
        ids.addAll(create(server, target - ids.size()));
        creating = creating.plus(watch.elapsed());
        Thread.sleep(SETTLE);
        bench.say(target + " sandboxes stand");
        double each = (before - Machine.availableKilobytes()) / (double) target;
        findings.add(seconds("create-" + target, "time to create " + target, creating));
        findings.add(new Quantity("memory-" + target, "memory of each of " + target, each, "KiB"));
      }
      cgroups = Leftovers.findCgroups(ids);
      var watch = new Stopwatch();
      server.deleteAll(CLIENTS);
      findings.add(seconds("delete-" + crowd, "time to delete " + crowd, watch.elapsed()));
    }
    Leftovers left = awaitGone(server, cgroups);
    findings.add(
        new Quantity(
            "left-behind", "left behind after the server stopped", left.total(), "things"));
    return new Section(
        name(),
        title(),
        findings,
        List.of(
            "Memory is the fall of MemAvailable, so kernel and server are included.", say(left)));
  }

  private static List<String> create(BenchServer server, int count) throws InterruptedException {
    return Clients.map(
        CLIENTS,
        IntStream.range(0, count).boxed().toList(),
        _ -> server.cove().sandboxes().create(SMALL).detach().id());
  }

  /** The kernel takes down namespaces and cgroups a moment after their last process has gone. */
  private static Leftovers awaitGone(BenchServer server, Set<Path> cgroups)
      throws IOException, InterruptedException {
    var watch = new Stopwatch();
    Leftovers left = Leftovers.of(server.home(), cgroups);
    while (left.total() > 0 && watch.elapsed().compareTo(GONE_LIMIT) < 0) {
      Thread.sleep(GONE_PAUSE);
      left = Leftovers.of(server.home(), cgroups);
    }
    return left;
  }

  private static String say(Leftovers left) {
    return String.format(
        Locale.ROOT,
        "Left: %d processes, %d mounts (%d of network namespaces), %d cgroups, %d loop devices, %d folders.",
        left.processes(),
        left.mounts(),
        left.networkNamespaces(),
        left.cgroups(),
        left.loopDevices(),
        left.folders());
  }

  private static Quantity seconds(String key, String label, Duration time) {
    return new Quantity(key, label, time.toNanos() / 1e9, "s");
  }
}
