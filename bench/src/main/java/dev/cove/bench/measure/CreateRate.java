package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How many sandboxes a second can be made and deleted, for as long as it takes queues to show. */
final class CreateRate implements Measurement {
  private static final int CLIENTS = 8;

  private record Tally(List<Duration> durations, int failures, String lastFailure) {}

  @Override
  public String name() {
    return "rate";
  }

  @Override
  public String title() {
    return "Create and delete without a pause, " + CLIENTS + " clients";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    List<Tally> tallies;
    Duration took;
    try (BenchServer server = bench.startServer(Map.of())) {
      run(server, bench.effort().rateTime().dividedBy(5)); // Practice, thrown away.
      var watch = new Stopwatch();
      tallies = run(server, bench.effort().rateTime());
      took = watch.elapsed();
    }
    List<Duration> durations = tallies.stream().flatMap(t -> t.durations().stream()).toList();
    int failures = tallies.stream().mapToInt(Tally::failures).sum();
    double rate = durations.size() / (took.toNanos() / 1e9);
    List<Finding> findings =
        List.of(
            new Timing("create", "one create", Samples.of(durations, failures)),
            new Quantity(
                "rate", "created and deleted in " + took.toSeconds() + " s", rate, "a second"));
    List<String> notes =
        tallies.stream()
            .map(Tally::lastFailure)
            .filter(f -> !f.isEmpty())
            .distinct()
            .limit(3)
            .toList();
    return new Section(name(), title(), findings, notes);
  }

  private static List<Tally> run(BenchServer server, Duration limit) throws InterruptedException {
    var watch = new Stopwatch();
    return Clients.map(
        CLIENTS,
        IntStream.range(0, CLIENTS).boxed().toList(),
        _ -> createAndDelete(server.cove(), watch, limit));
  }

  private static Tally createAndDelete(Cove cove, Stopwatch watch, Duration limit) {
    var durations = new ArrayList<Duration>();
    int failures = 0;
    String lastFailure = "";
    while (watch.elapsed().compareTo(limit) < 0) {
      var one = new Stopwatch();
      try (Sandbox _ = cove.sandboxes().create()) {
        durations.add(one.elapsed());
      } catch (CoveException failure) {
        failures++;
        lastFailure = "A create failed: " + failure.getMessage();
      }
    }
    return new Tally(durations, failures, lastFailure);
  }
}
