package dev.cove.bench.measure;

import java.time.Duration;

/** Runs from its making. */
final class Stopwatch {
  private final long start = System.nanoTime();

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
