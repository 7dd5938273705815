package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Requests of all kinds at a steady rate, for minutes.
 *
 * <p>Each has a moment at which it is due, whether the ones before have been answered or not, and
 * its time counts from there: a server that stalls cannot slow its clients down and look good.
 */
final class SoakLoad implements Measurement {
  private static final int SANDBOXES = 200;
  private static final int PER_SECOND = 700;
  private static final int CLIENTS = 16;
  private static final Duration PRACTICE = Duration.ofSeconds(15);

  /** More than these unanswered is a collapse, and is reported as one. */
  private static final int MOST_AT_ONCE = 2_000;

  private static final CreateOptions SMALL = CreateOptions.defaults().memoryMb(64);
  private static final String FILE = "/home/user/soak";
  private static final String TEXT = "a line of some text\n".repeat(50);

  /** What came back. */
  private static final class Tally {
    final Queue<Duration> times = new ConcurrentLinkedQueue<>();
    final AtomicInteger serverErrors = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicReference<String> lastFailure = new AtomicReference<>("");
  }

  /** One of the requests that are made, and how often among a hundred. */
  private record Kind(int share, Request request) {}

  private interface Request {
    void make(Cove cove, Sandbox box);
  }

  private static final List<Kind> MIX =
      List.of(
          new Kind(40, (_, box) -> box.fetchInfo()),
          new Kind(20, (_, box) -> box.files().readString(FILE)),
          new Kind(13, (_, box) -> box.files().write(FILE, TEXT)),
          new Kind(12, (_, box) -> box.exec("/bin/true")),
          new Kind(6, (_, box) -> box.metrics()),
          new Kind(3, (cove, _) -> cove.sandboxes().list()),
          new Kind(2, (_, box) -> box.label(Map.of("soak", "yes"))),
          new Kind(2, (_, box) -> box.pause()),
          new Kind(1, (_, box) -> box.resume()),
          new Kind(
              1,
              (cove, _) -> {
                try (Sandbox fresh = cove.sandboxes().create(SMALL)) {
                  fresh.exec("/bin/true");
                }
              }));

  @Override
  public String name() {
    return "load";
  }

  @Override
  public String group() {
    return "soak";
  }

  @Override
  public String title() {
    return "%d requests a second of all kinds, with %d sandboxes".formatted(PER_SECOND, SANDBOXES);
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    Duration time = bench.effort().soakTime();
    try (BenchServer server =
        bench.startServer(Map.of("COVE_MAX_SANDBOXES", String.valueOf(SANDBOXES * 2)))) {
      Cove cove = server.cove();
      List<Sandbox> boxes =
          Clients.map(
              CLIENTS,
              IntStream.range(0, SANDBOXES).boxed().toList(),
              _ -> {
                Sandbox box = cove.sandboxes().create(SMALL).detach();
                box.files().write(FILE, TEXT);
                return box;
              });
      run(cove, boxes, PRACTICE); // thrown away
      bench.say("%d sandboxes stand; %d s of requests".formatted(SANDBOXES, time.toSeconds()));
      ProcessFigures before = ProcessFigures.of(server.pid());
      var watch = new Stopwatch();
      Tally tally = run(cove, boxes, time);
      double seconds = watch.elapsed().toNanos() / 1e9;
      ProcessFigures after = ProcessFigures.of(server.pid());
      return section(tally, seconds, before, after);
    }
  }

  private Section section(
      Tally tally, double seconds, ProcessFigures before, ProcessFigures after) {
    List<Finding> findings =
        List.of(
            new Timing(
                "request",
                "a request, from when it was due",
                Samples.of(
                    List.copyOf(tally.times), tally.serverErrors.get() + tally.refused.get())),
            new Quantity("rate", "answered", tally.times.size() / seconds, "per s"),
            new Quantity("5xx", "answered with 5xx, or not", tally.serverErrors.get(), "requests"),
            new Quantity("4xx", "answered with 4xx", tally.refused.get(), "requests"),
            new Quantity(
                "memory", "growth of the server's memory", after.megabytesSince(before), "MiB"),
            new Quantity(
                "cpu",
                "processors that the server used",
                after.cpu().minus(before.cpu()).toNanos() / 1e9 / seconds,
                "cpus"));
    String failure = tally.lastFailure.get();
    return new Section(
        name(),
        title(),
        findings,
        failure.isEmpty() ? List.of() : List.of("The last that failed: " + failure));
  }

  private static Tally run(Cove cove, List<Sandbox> boxes, Duration time)
      throws InterruptedException {
    var tally = new Tally();
    var places = new Semaphore(MOST_AT_ONCE);
    List<Request> requests = spread();
    long start = System.nanoTime();
    long between = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
    long count = time.toNanos() / between;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        long due = start + i * between;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        if (!places.tryAcquire(1, TimeUnit.MINUTES)) {
          tally.serverErrors.incrementAndGet();
          tally.lastFailure.set(MOST_AT_ONCE + " requests were not answered for a minute");
          continue;
        }
        Request request = requests.get(i % requests.size());
        Sandbox box = boxes.get(i % boxes.size());
        threads.execute(() -> {
          try {
            make(() -> request.make(cove, box), due, tally);
          } finally {
            places.release();
          }
        });
      }
    }
    return tally;
  }

  private static void make(Runnable request, long due, Tally tally) {
    try {
      request.run();
      tally.times.add(Duration.ofNanos(System.nanoTime() - due));
    } catch (CoveApiException refused) {
      (refused.status() >= 500 ? tally.serverErrors : tally.refused).incrementAndGet();
      tally.lastFailure.set("%d %s".formatted(refused.status(), refused.getMessage()));
    } catch (CoveException failure) {
      tally.serverErrors.incrementAndGet();
      tally.lastFailure.set(String.valueOf(failure.getMessage()));
    }
  }

  /** The kinds in turn, each as often as its share; a prime step, so that boxes get all kinds. */
  private static List<Request> spread() {
    var all = new ArrayList<Request>();
    MIX.forEach(kind -> IntStream.range(0, kind.share()).forEach(_ -> all.add(kind.request())));
    int step = 37;
    return IntStream.range(0, all.size() - 1)
        .mapToObj(i -> all.get(i * step % all.size()))
        .toList();
  }
}
