package dev.cove.bench.measure;

import dev.cove.bench.peer.SpawnedProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Starting a program of this machine as a contender. */
final class Spawning {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Spawning() {}

  /** From the start to the first byte of output; the end is awaited off the clock. */
  static Duration toFirstOutput(List<String> command) throws IOException {
    try (var prepared = new SpawnedProcess.Prepared(command)) {
      var watch = new Stopwatch();
      try (SpawnedProcess process = prepared.start()) {
        process.awaitOutput(LIMIT);
        Duration took = watch.elapsed();
        requireSuccess(process);
        return took;
      }
    }
  }

  /** From the start to the end. */
  static Duration toExit(List<String> command) throws IOException {
    try (var prepared = new SpawnedProcess.Prepared(command)) {
      var watch = new Stopwatch();
      try (SpawnedProcess process = prepared.start()) {
        requireSuccess(process);
        return watch.elapsed();
      }
    }
  }

  private static void requireSuccess(SpawnedProcess process) throws IOException {
    int exitCode = process.awaitExit(LIMIT);
    if (exitCode != 0) {
      throw new IOException("It ended with exit code " + exitCode + ".");
    }
  }
}
