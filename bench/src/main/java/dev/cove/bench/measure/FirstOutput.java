package dev.cove.bench.measure;

import dev.cove.bench.peer.Peer;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** From asking for a sandbox to the first output of /bin/echo in it. */
final class FirstOutput implements Measurement {
  private static final Duration POOL_LIMIT = Duration.ofSeconds(10);
  private static final Duration SETTLING = Duration.ofMillis(100);
  private static final Duration POOL_PAUSE = Duration.ofMillis(5);

  @Override
  public String name() {
    return "first-output";
  }

  @Override
  public String title() {
    return "Create to first output of /bin/echo";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    try (BenchServer cold = bench.startServer(Map.of("COVE_POOL_SIZE", "0"));
        BenchServer warm = bench.startServer(Map.of())) {
      for (int i = 0; i < bench.effort().practice(); i++) {
        createAndEcho(cold.cove());
        createAndEcho(warm.cove());
      }
      var rounds = new Rounds(SETTLING);
      rounds.add("cove-cold", "cove over HTTP, cold (no pool)", () -> createAndEcho(cold.cove()));
      rounds.add(
          "cove-warm",
          "cove over HTTP, warm pool",
          () -> {
            awaitPool(warm.cove());
            return createAndEcho(warm.cove());
          });
      for (Peer peer : bench.peers()) {
        rounds.add(peer.name(), peer.runLabel(), () -> Spawning.toFirstOutput(peer.runCommand()));
      }
      rounds.add(
          "bare",
          "/bin/echo in no sandbox (what starting a program costs)",
          () -> Spawning.toFirstOutput(List.of("/bin/echo", "hello")));
      rounds.run(bench.effort().warmUps(), bench.effort().rounds());
      var notes = new ArrayList<String>();
      notes.add(
          "Cove: two requests, create and exec, by one client; deleting is off the clock for all.");
      notes.add(
          "Cove did it "
              + bench.effort().practice()
              + " times before, as a server that has been up a while has. Each begins after a pause of "
              + SETTLING.toMillis()
              + " ms.");
      notes.addAll(rounds.notes());
      return new Section(name(), title(), List.<Finding>copyOf(rounds.timings()), notes);
    }
  }

  private static Duration createAndEcho(Cove cove) throws IOException {
    var watch = new Stopwatch();
    try (Sandbox sandbox = cove.sandboxes().create()) {
      String output = sandbox.exec("/bin/echo", "hello").stdout();
      Duration took = watch.elapsed();
      if (!output.equals("hello\n")) {
        throw new IOException("The sandbox printed \"" + output + "\" instead of hello.");
      }
      return took;
    }
  }

  /** A user's creates are seldom back to back: the pool may fill up again before each. */
  private static void awaitPool(Cove cove) throws InterruptedException {
    var watch = new Stopwatch();
    while (cove.system().warm() == 0 && watch.elapsed().compareTo(POOL_LIMIT) < 0) {
      Thread.sleep(POOL_PAUSE);
    }
  }
}
