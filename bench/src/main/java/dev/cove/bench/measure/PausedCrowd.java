package dev.cove.bench.measure;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Section;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What many paused sandboxes cost while nobody wants anything of them. */
final class PausedCrowd implements Measurement {
  private static final int CLIENTS = 16;
  private static final int FEW = 100;
  private static final Duration SETTLE = Duration.ofSeconds(5);
  private static final CreateOptions SMALL = CreateOptions.defaults().memoryMb(64);

  @Override
  public String name() {
    return "paused";
  }

  @Override
  public String group() {
    return "soak";
  }

  @Override
  public String title() {
    return "Many paused sandboxes";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    int crowd = bench.effort().crowd();
    Duration watched = bench.effort().rateTime();
    try (BenchServer server =
        bench.startServer(Map.of("COVE_MAX_SANDBOXES", String.valueOf(crowd + FEW)))) {
      create(server, FEW);
      server.deleteAll(CLIENTS);
      Thread.sleep(SETTLE);
      long available = Machine.availableKilobytes();
      ProcessFigures empty = ProcessFigures.of(server.pid());
      Thread.sleep(watched);
      Duration idle = ProcessFigures.of(server.pid()).cpu().minus(empty.cpu());
      List<Sandbox> boxes = create(server, crowd);
      var watch = new Stopwatch();
      Clients.each(CLIENTS, boxes, Sandbox::pause);
      double pausing = watch.elapsed().toNanos() / 1e6 / crowd;
      bench.say(crowd + " sandboxes are paused");
      Thread.sleep(SETTLE);
      double each = (available - Machine.availableKilobytes()) / (double) crowd;
      ProcessFigures before = ProcessFigures.of(server.pid());
      Thread.sleep(watched);
      Duration busy = ProcessFigures.of(server.pid()).cpu().minus(before.cpu());
      double seconds = watched.toNanos() / 1e9;
      return new Section(
          name(),
          title(),
          List.of(
              new Quantity("count", "paused", crowd, "sandboxes"),
              new Quantity("pausing", "time to pause, each", pausing, "ms"),
              new Quantity("memory", "memory of each, its own included", each, "KiB"),
              new Quantity(
                  "cpu",
                  "processor time of the server for them",
                  Math.max(0, (busy.toMillis() - idle.toMillis()) / seconds / 10),
                  "%")),
          List.of(
              "Memory is the fall of MemAvailable, so kernel and server are included.",
              "The server used %d ms in %.0f s without them and %d ms with them."
                  .formatted(idle.toMillis(), seconds, busy.toMillis())));
    }
  }

  private static List<Sandbox> create(BenchServer server, int count) throws InterruptedException {
    return Clients.map(
        CLIENTS,
        IntStream.range(0, count).boxed().toList(),
        _ -> server.cove().sandboxes().create(SMALL).detach());
  }
}
