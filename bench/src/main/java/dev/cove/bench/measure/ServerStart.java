package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** From the launcher to the first healthy answer, and what the server then takes. */
final class ServerStart implements Measurement {
  private static final Duration SETTLE = Duration.ofSeconds(2);

  @Override
  public String name() {
    return "server";
  }

  @Override
  public String title() {
    return "Server start-up, on an empty home";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    var starts = new ArrayList<Duration>();
    var firstCreates = new ArrayList<Duration>();
    long resident = 0;
    for (int i = 0; i < bench.effort().serverStarts(); i++) {
      try (BenchServer server = bench.startServer(Map.of())) {
        starts.add(server.healthyAfter());
        Thread.sleep(SETTLE);
        resident = Math.max(resident, Machine.residentKilobytes(server.pid()));
      }
      try (BenchServer server = bench.startServer(Map.of())) {
        starts.add(server.healthyAfter());
        var watch = new Stopwatch();
        try (Sandbox sandbox = server.cove().sandboxes().create()) {
          sandbox.exec("/bin/echo", "hello");
          firstCreates.add(watch.elapsed());
        }
      }
    }
    return new Section(
        name(),
        title(),
        List.<Finding>of(
            new Timing("start", "launcher to healthy", Samples.of(starts, 0)),
            new Timing(
                "first-create",
                "its very first create, to first output",
                Samples.of(firstCreates, 0)),
            new Quantity(
                "resident", "resident with no sandbox, most seen", resident * 1024 / 1e6, "MB")),
        List.of());
  }
}
