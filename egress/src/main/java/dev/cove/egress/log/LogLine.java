package dev.cove.egress.log;

import dev.cove.model.network.Destination;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A decision whose consequences are still being counted. */
public final class LogLine {
  private final Instant time = Instant.now();
  private final long begin = System.nanoTime();
  private final Destination destination;
  private final Verdict verdict;
  private final String dialled;
  private final AtomicLong count = new AtomicLong(1);
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();
  private volatile long end = begin;

  LogLine(Destination destination, Verdict verdict, String dialled) {
    this.destination = destination;
    this.verdict = verdict;
    this.dialled = dialled;
  }

  boolean says(Destination otherDestination, Verdict otherVerdict, String otherDialled) {
    return destination.equals(otherDestination)
        && verdict.equals(otherVerdict)
        && dialled.equals(otherDialled);
  }

  boolean isYoungerThan(Duration age) {
    return System.nanoTime() - begin < age.toNanos();
  }

  void again() {
    count.incrementAndGet();
    end = System.nanoTime();
  }

  public void sent(long bytes) {
    sent.add(bytes);
    end = System.nanoTime();
  }

  public void received(long bytes) {
    received.add(bytes);
    end = System.nanoTime();
  }

  LoggedDecision now() {
    return new LoggedDecision(
        time,
        destination,
        dialled,
        verdict,
        count.get(),
        sent.sum(),
        received.sum(),
        Duration.ofNanos(end - begin));
  }
}
