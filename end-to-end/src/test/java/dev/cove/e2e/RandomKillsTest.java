package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The server, its spawner and agents are killed at any moment while clients make sandboxes, use
 * them, let them rest, copy and delete them. What was acknowledged holds, commands go on, and
 * nothing is left over.
 *
 * <p>{@code -Dcove.kills.seed=N} repeats what a client did; when the kill falls is up to the host.
 */
class RandomKillsTest {
  private static final int FEW = 8;
  private static final int MANY = 200;

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "4"));

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void what_was_acknowledged_before_a_few_kills_holds_after_them() throws Exception {
    kill(FEW);
  }

  @Test
  @Tag("long")
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void what_was_acknowledged_before_two_hundred_kills_holds_after_them() throws Exception {
    kill(Integer.getInteger("cove.kills", MANY));
  }

  private static void kill(int times) throws Exception {
    long seed = Long.getLong("cove.kills.seed", System.nanoTime());
    try (var rounds = new KillRounds(server, seed)) {
      for (int round = 1; round <= times; round++) {
        rounds.next(round);
      }
      assertThat(rounds.acknowledged()).as("calls that were acknowledged").isGreaterThan(times);
    }
  }
}
