package dev.cove.control.usage;

import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import dev.cove.node.Reading;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Up to where one sandbox has been counted. Each step gives the account after it and what it adds;
 * the two are to be written down together.
 *
 * <p>Processor time and bytes are differences between readings of counters, so it does not matter
 * how often, or by which server, they are read. Time is the difference between moments of a clock
 * that nobody sets, and belongs to the state that the sandbox was in. Memory and disk are sampled:
 * between two readings their mean counts, and where there is only one, that one.
 *
 * @param until up to when time is counted; empty where it begins with the next step
 * @param memoryBytes at the last reading; empty where there is none of these processes yet
 * @param diskBytes at the last reading
 */
record Account(
    Phase phase,
    Optional<Moment> until,
    OptionalLong memoryBytes,
    OptionalLong diskBytes,
    Optional<Counter> cpuMicros,
    Optional<Counter> sentBytes,
    Optional<Counter> receivedBytes) {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long BYTES_PER_KIB = 1024;

  /** An account after a step, and what the step adds. */
  record Step(Account after, Amounts added) {
    Step then(Function<Account, Step> next) {
      Step second = next.apply(after);
      return new Step(second.after, added.plus(second.added));
    }
  }

  static Account open(Phase phase, Moment now) {
    return new Account(
        phase,
        Optional.of(now),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Counts all that a reading says, and the time up to it. */
  Step take(Moment now, Reading reading) {
    return pass(now, reading.memoryBytes(), reading.diskBytes())
        .then(account -> account.count(reading));
  }

  /** Counts the time up to now, in which nothing is known to have changed. */
  Step pass(Moment now) {
    return pass(now, OptionalLong.empty(), OptionalLong.empty());
  }

  private Step pass(Moment now, OptionalLong memoryNow, OptionalLong diskNow) {
    boolean sameBoot = until.isEmpty() || until.get().sameBoot(now);
    // Nothing has run since the host came up, whatever it was that ran before.
    Phase spent = sameBoot || phase == Phase.NONE ? phase : Phase.STOPPED;
    long millis = until.map(from -> millisBetween(from, now)).orElse(0L);
    OptionalLong memory = spent.hasMemory() ? memoryNow : OptionalLong.of(0);
    Amounts added =
        new Amounts(
            0,
            spent.hasMemory() ? kibSeconds(memoryBytes, memory, millis) : 0,
            spent == Phase.NONE ? 0 : kibSeconds(diskBytes, diskNow, millis),
            0,
            0,
            spent == Phase.RUNNING ? millis : 0,
            spent == Phase.PAUSED ? millis : 0,
            spent == Phase.STOPPED ? millis : 0);
    Moment reached =
        until.filter(from -> from.sameBoot(now) && from.nanos() > now.nanos()).orElse(now);
    return new Step(
        new Account(
            phase,
            Optional.of(reached),
            memory.isPresent() ? memory : memoryBytes,
            diskNow.isPresent() ? diskNow : diskBytes,
            cpuMicros,
            sentBytes,
            receivedBytes),
        added);
  }

  /** Counts what counters say, and no time: for what ended at a moment that nobody knows. */
  Step count(Reading reading) {
    var after =
        new Account(
            phase,
            until,
            memoryBytes,
            diskBytes,
            later(cpuMicros, reading.cpuMicros()),
            later(sentBytes, reading.sentBytes()),
            later(receivedBytes, reading.receivedBytes()));
    var added =
        new Amounts(
            beyond(cpuMicros, reading.cpuMicros()),
            0,
            0,
            beyond(sentBytes, reading.sentBytes()),
            beyond(receivedBytes, reading.receivedBytes()),
            0,
            0,
            0);
    return new Step(after, added);
  }

  /** From now on its time counts as something else; the caller has counted it up to now. */
  Account in(Phase next) {
    OptionalLong memory = memoryBytes;
    if (!next.hasMemory()) {
      memory = OptionalLong.of(0);
    } else if (!phase.hasMemory()) {
      memory = OptionalLong.empty(); // new processes, of which nothing is known yet
    }
    return new Account(next, until, memory, diskBytes, cpuMicros, sentBytes, receivedBytes);
  }

  /** Whole milliseconds of both, so that no step loses a part of one. */
  private static long millisBetween(Moment from, Moment to) {
    long start = from.sameBoot(to) ? from.nanos() / NANOS_PER_MILLI : 0;
    return Math.max(0, to.nanos() / NANOS_PER_MILLI - start);
  }

  private static long kibSeconds(OptionalLong before, OptionalLong now, long millis) {
    long first = before.orElse(now.orElse(0)) / BYTES_PER_KIB;
    long second = now.orElse(before.orElse(0)) / BYTES_PER_KIB;
    return ((first + second) * millis + 1_000) / 2_000;
  }

  private static long beyond(Optional<Counter> counted, Optional<Counter> now) {
    return now.map(reading -> counted.map(reading::beyond).orElse(reading.value())).orElse(0L);
  }

  private static Optional<Counter> later(Optional<Counter> counted, Optional<Counter> now) {
    return now.filter(reading -> counted.isEmpty() || reading.replaces(counted.get()))
        .or(() -> counted);
  }
}
