package dev.cove.bench.measure;

import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.sdk.CoveException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Contenders that take turns, so that whatever else the machine does hits all of them alike. The
 * order inside a round is shuffled: otherwise one contender would always pay for what its neighbour
 * leaves behind.
 */
final class Rounds {
  private static final int MOST_FAILURES = 10;
  private static final Duration LONGEST = Duration.ofMinutes(4);

  /** Does the thing once and says how long it took, tidying up after the clock has stopped. */
  @FunctionalInterface
  interface Attempt {
    Duration once() throws IOException, InterruptedException;
  }

  private static final class Contender {
    private final String key;
    private final String label;
    private final Attempt attempt;
    private final List<Duration> durations = new ArrayList<>();
    private int failures;
    private String lastFailure = "";

    private Contender(String key, String label, Attempt attempt) {
      this.key = key;
      this.label = label;
      this.attempt = attempt;
    }

    private void takeTurn(boolean counts) throws InterruptedException {
      if (failures >= MOST_FAILURES) {
        return;
      }
      try {
        Duration took = attempt.once();
        if (counts) {
          durations.add(took);
        }
      } catch (IOException | CoveException failure) {
        failures++;
        lastFailure = String.valueOf(failure.getMessage());
      }
    }
  }

  private final Duration pause;
  private final List<Contender> contenders = new ArrayList<>();
  private final Random order = new Random(1);

  /**
   * @param pause before each turn, for what its neighbour leaves behind to settle
   */
  Rounds(Duration pause) {
    this.pause = pause;
  }

  void add(String key, String label, Attempt attempt) {
    contenders.add(new Contender(key, label, attempt));
  }

  /** Runs all rounds, or as many as fit into four minutes. */
  void run(int warmUps, int rounds) throws InterruptedException {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    for (int i = 0; i < warmUps + rounds && System.nanoTime() < deadline; i++) {
      var turn = new ArrayList<>(contenders);
      Collections.shuffle(turn, order);
      for (Contender contender : turn) {
        Thread.sleep(pause);
        contender.takeTurn(i >= warmUps);
      }
    }
  }

  /** In the order in which the contenders were added. */
  List<Timing> timings() {
    return contenders.stream()
        .map(c -> new Timing(c.key, c.label, Samples.of(c.durations, c.failures)))
        .toList();
  }

  /** Why contenders failed, if any did. */
  List<String> notes() {
    return contenders.stream()
        .filter(contender -> contender.failures > 0)
        .map(contender -> contender.label + " failed: " + contender.lastFailure)
        .toList();
  }
}
