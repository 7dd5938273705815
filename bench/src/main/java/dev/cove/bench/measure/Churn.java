package dev.cove.bench.measure;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a server keeps of sandboxes that have come, been used and gone. */
final class Churn implements Measurement {
  private static final int CLIENTS = 8;
  private static final Duration SETTLE = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofSeconds(1);

  @Override
  public String name() {
    return "churn";
  }

  @Override
  public String group() {
    return "soak";
  }

  @Override
  public String title() {
    return "What a server keeps of sandboxes that came and went";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    int crowd = bench.effort().crowd();
    try (BenchServer server = bench.startServer(Map.of())) {
      churn(server, crowd / 2); // the heap, the pool and what is compiled are not charged to them
      ProcessFigures before = settled(server);
      var watch = new Stopwatch();
      churn(server, crowd);
      double seconds = watch.elapsed().toNanos() / 1e9;
      ProcessFigures after = settled(server);
      return new Section(
          name(),
          title(),
          List.of(
              new Quantity("churned", "made, used and deleted", crowd, "sandboxes"),
              new Quantity("time", "in", seconds, "s"),
              new Quantity("threads", "more threads", after.threads() - before.threads(), ""),
              new Quantity(
                  "descriptors",
                  "more descriptors",
                  after.descriptors() - before.descriptors(),
                  ""),
              new Quantity("memory", "more memory", after.megabytesSince(before), "MiB"),
              new Quantity(
                  "resident", "resident before", before.residentKilobytes() / 1024.0, "MiB")),
          List.of("Half as many came and went before, which are not counted."));
    }
  }

  private static void churn(BenchServer server, int count) throws InterruptedException {
    Clients.each(
        CLIENTS,
        IntStream.range(0, count).boxed().toList(),
        _ -> {
          try (Sandbox box = server.cove().sandboxes().create()) {
            box.files().write("/home/user/file", box.id());
            box.exec("/bin/cat", "/home/user/file");
          }
        });
  }

  /** When the pool is full again, and what goes a moment later has gone. */
  private static ProcessFigures settled(BenchServer server)
      throws IOException, InterruptedException {
    var watch = new Stopwatch();
    ProcessFigures least = ProcessFigures.of(server.pid());
    while (watch.elapsed().compareTo(SETTLE) < 0) {
      Thread.sleep(LOOK);
      ProcessFigures now = ProcessFigures.of(server.pid());
      boolean still = now.threads() == least.threads() && now.descriptors() == least.descriptors();
      least = now;
      if (still && watch.elapsed().compareTo(SETTLE.dividedBy(3)) > 0) {
        break;
      }
    }
    return least;
  }
}
