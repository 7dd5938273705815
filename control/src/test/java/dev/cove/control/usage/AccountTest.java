package dev.cove.control.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import dev.cove.node.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arithmetic of usage, held against a world in which everything is known. */
class AccountTest {
  private static final long MILLI = 1_000_000;

  /** Cages, gateways and boots come and go; readings come late, twice, or in the wrong order. */
  private static final class World {
    final Random random;
    final List<Reading> underWay = new ArrayList<>();
    int boot;
    long nanos = 5_000 * MILLI;
    Moment cageSince;
    Moment gatewaySince;
    long cpu;
    long sent;
    long received;

    Account account;
    Amounts counted = Amounts.NOTHING;

    long cpuTruth;
    long cpuLost;
    long egressTruth;
    long egressLost;
    long millisTruth;

    /** Of the cage and the gateway that there are now: the highest that was handed in. */
    long cpuRead;

    long sentRead;
    long receivedRead;

    World(long seed) {
      random = new Random(seed);
      cageSince = now();
      gatewaySince = now();
      account = Account.open(Phase.RUNNING, now());
    }

    Moment now() {
      return new Moment("boot-" + boot, nanos);
    }

    Reading reading() {
      return new Reading(
          Optional.of(new Counter(cageSince, cpu)),
          OptionalLong.of(4096L * random.nextInt(1_000)),
          OptionalLong.of(4096L * random.nextInt(1_000)),
          Optional.of(new Counter(gatewaySince, sent)),
          Optional.of(new Counter(gatewaySince, received)));
    }

    void apply(Account.Step step) {
      Amounts added = step.added();
      assertThat(
              List.of(
                  added.cpuMicros(),
                  added.memoryKibSeconds(),
                  added.diskKibSeconds(),
                  added.sentBytes(),
                  added.receivedBytes(),
                  added.runningMillis(),
                  added.pausedMillis(),
                  added.stoppedMillis()))
          .allSatisfy(amount -> assertThat(amount).isNotNegative());
      account = step.after();
      counted = counted.plus(added);
    }

    void handIn(Reading reading, boolean withTime) {
      apply(withTime ? account.take(now(), reading) : account.count(reading));
      cpuRead = Math.max(cpuRead, read(reading.cpuMicros(), cageSince));
      sentRead = Math.max(sentRead, read(reading.sentBytes(), gatewaySince));
      receivedRead = Math.max(receivedRead, read(reading.receivedBytes(), gatewaySince));
    }

    private static long read(Optional<Counter> counter, Moment since) {
      return counter.filter(one -> one.since().equals(since)).map(Counter::value).orElse(0L);
    }

    void step() {
      long passed = random.nextInt(5_000) * MILLI;
      nanos += passed;
      millisTruth += passed / MILLI;
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> work();
        case 4, 5 -> underWay.add(reading());
        case 6, 7 -> applyAny();
        case 8 -> handIn(reading(), true);
        case 9 -> rebuild();
        case 10 -> change();
        default -> disaster();
      }
    }

    private void work() {
      long micros = random.nextInt(100_000);
      cpu += micros;
      cpuTruth += micros;
      int bytes = random.nextInt(10_000);
      sent += bytes;
      received += 2L * bytes;
      egressTruth += 3L * bytes;
    }

    /** Any of those that were read, the old ones too; and now and then twice. */
    private void applyAny() {
      if (underWay.isEmpty()) {
        return;
      }
      Reading late = underWay.get(random.nextInt(underWay.size()));
      if (random.nextBoolean()) {
        underWay.remove(late);
      }
      handIn(late, true);
    }

    /** The last reading is counted before the next cage begins. */
    private void rebuild() {
      handIn(reading(), false);
      nanos += 10 * MILLI;
      millisTruth += 10;
      cageSince = now();
      cpu = 0;
      cpuRead = 0;
    }

    private void change() {
      Phase[] phases = {Phase.RUNNING, Phase.PAUSED, Phase.STOPPED};
      Account.Step step = account.pass(now());
      apply(new Account.Step(step.after().in(phases[random.nextInt(3)]), step.added()));
    }

    private void disaster() {
      underWay.clear();
      if (random.nextInt(3) == 0) {
        boot++;
        nanos = random.nextInt(60_000) * MILLI; // the server comes up some time after the host
        millisTruth = counted.runningMillis() + counted.pausedMillis() + counted.stoppedMillis();
        millisTruth += nanos / MILLI;
        cpuLost += cpu - cpuRead;
        cageSince = now();
        cpu = 0;
        cpuRead = 0;
      }
      egressLost += sent - sentRead + received - receivedRead;
      nanos += 20 * MILLI;
      millisTruth += 20;
      gatewaySince = now();
      sent = 0;
      received = 0;
      sentRead = 0;
      receivedRead = 0;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 400})
  void whatever_happens_all_is_counted_once(int steps) {
    for (long seed = 0; seed < 300; seed++) {
      var world = new World(seed);
      for (int i = 0; i < steps; i++) {
        world.step();
      }
      world.apply(world.account.take(world.now(), world.reading()));
      Amounts counted = world.counted;
      assertThat(counted.cpuMicros())
          .as("processor time, seed %d", seed)
          .isEqualTo(world.cpuTruth - world.cpuLost);
      assertThat(counted.egressBytes())
          .as("bytes, seed %d", seed)
          .isEqualTo(world.egressTruth - world.egressLost);
      assertThat(counted.runningMillis() + counted.pausedMillis() + counted.stoppedMillis())
          .as("time, seed %d", seed)
          .isEqualTo(world.millisTruth);
    }
  }

  @Test
  void memory_is_the_mean_of_two_readings_and_none_while_stopped() {
    var start = new Moment("boot", 0);
    Account account = Account.open(Phase.RUNNING, start);
    Account.Step first = account.take(at(1_000), memory(1_024 * 1_024));
    assertThat(first.added().memoryKibSeconds()).isEqualTo(1_024); // only one is known
    Account.Step second = first.after().take(at(3_000), memory(3 * 1_024 * 1_024));
    assertThat(second.added().memoryKibSeconds()).isEqualTo(2 * 2 * 1_024);
    Account stopped = second.after().in(Phase.STOPPED);
    assertThat(stopped.pass(at(9_000)).added().memoryKibSeconds()).isZero();
    Account again = stopped.pass(at(9_000)).after().in(Phase.RUNNING);
    Account.Step later = again.take(at(10_000), memory(512 * 1_024));
    assertThat(later.added().memoryKibSeconds()).as("new processes").isEqualTo(512);
    Account paused = later.after().in(Phase.PAUSED);
    assertThat(paused.pass(at(20_000)).added().memoryKibSeconds()).as("kept").isEqualTo(5_120);
  }

  @Test
  void time_across_a_restart_of_the_host_begins_with_the_boot_and_counts_as_stopped() {
    Account before = Account.open(Phase.RUNNING, new Moment("one", 1L << 50));
    Account.Step after = before.pass(new Moment("two", 40_000 * MILLI));
    assertThat(after.added().stoppedMillis()).isEqualTo(40_000);
    assertThat(after.added().runningMillis()).isZero();
  }

  @Test
  void a_moment_that_lies_back_adds_nothing_and_is_not_counted_again() {
    Account account = Account.open(Phase.RUNNING, at(10_000));
    Account.Step back = account.pass(at(4_000));
    assertThat(back.added()).isEqualTo(Amounts.NOTHING);
    assertThat(back.after().pass(at(11_000)).added().runningMillis()).isEqualTo(1_000);
  }

  private static Moment at(long millis) {
    return new Moment("boot", millis * MILLI);
  }

  private static Reading memory(long bytes) {
    return new Reading(
        Optional.empty(),
        OptionalLong.of(bytes),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
