package dev.cove.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** What a process holds and has used, as the kernel counts it. */
record ProcessFigures(long residentKilobytes, long descriptors, long threads, Duration cpu) {
  static ProcessFigures of(long pid) throws IOException {
    Path process = Path.of("/proc", String.valueOf(pid));
    return new ProcessFigures(
        Machine.residentKilobytes(pid),
        count(process.resolve("fd")),
        count(process.resolve("task")),
        Machine.cpu(pid));
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }

  double megabytesSince(ProcessFigures before) {
    return (residentKilobytes - before.residentKilobytes) / 1024.0;
  }
}
