package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Fifty callers who all want a sandbox at the same moment. */
final class CreateBurst implements Measurement {
  private static final int CALLERS = 50;
  private static final int PRACTICE = 8;
  private static final Duration REST = Duration.ofSeconds(2);

  private record Outcome(Optional<Duration> took, String failure) {}

  @Override
  public String name() {
    return "burst";
  }

  @Override
  public String title() {
    return CALLERS + " creates at once";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    var outcomes = new ArrayList<Outcome>();
    try (BenchServer server = bench.startServer(Map.of())) {
      // The first bursts meet a server that has compiled nothing yet; users of a running server
      // don't.
      for (int i = 0; i < PRACTICE; i++) {
        burst(server);
      }
      for (int i = 0; i < bench.effort().bursts(); i++) {
        outcomes.addAll(burst(server));
      }
    }
    List<Duration> durations = outcomes.stream().flatMap(o -> o.took().stream()).toList();
    var samples = Samples.of(durations, outcomes.size() - durations.size());
    var notes = new ArrayList<String>();
    notes.add("Bursts come " + REST.toSeconds() + " s apart, in which the pool fills up again.");
    outcomes.stream()
        .map(Outcome::failure)
        .filter(f -> !f.isEmpty())
        .distinct()
        .limit(3)
        .forEach(notes::add);
    return new Section(
        name(),
        title(),
        List.<Finding>of(new Timing("create", "one create among " + CALLERS, samples)),
        notes);
  }

  private static List<Outcome> burst(BenchServer server) throws IOException, InterruptedException {
    Thread.sleep(REST);
    var start = new CountDownLatch(CALLERS);
    List<Outcome> outcomes =
        Clients.map(
            CALLERS,
            IntStream.range(0, CALLERS).boxed().toList(),
            _ -> create(server.cove(), start));
    server.deleteAll(CALLERS);
    return outcomes;
  }

  private static Outcome create(Cove cove, CountDownLatch start) {
    try {
      start.countDown();
      start.await();
      var watch = new Stopwatch();
      cove.sandboxes().create().detach();
      return new Outcome(Optional.of(watch.elapsed()), "");
    } catch (CoveException failure) {
      return new Outcome(Optional.empty(), "A create failed: " + failure.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Outcome(Optional.empty(), "A create was interrupted.");
    }
  }
}
