package dev.cove.bench.measure;

import dev.cove.bench.report.MachineLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** What the kernel says about this machine. */
public final class Machine {
  private Machine() {}

  public static MachineLine describe() throws IOException {
    return new MachineLine(
        findField(Path.of("/proc/cpuinfo"), "model name").orElse(System.getProperty("os.arch", "")),
        Runtime.getRuntime().availableProcessors(),
        requireKilobytes(Path.of("/proc/meminfo"), "MemTotal") * 1024,
        "Linux " + Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(),
        Files.exists(Path.of("/sys/fs/cgroup/cgroup.controllers")) ? "cgroup v2" : "cgroup v1",
        Instant.now());
  }

  /** What a new program could have without pushing others to swap, kernel memory accounted for. */
  static long availableKilobytes() throws IOException {
    return requireKilobytes(Path.of("/proc/meminfo"), "MemAvailable");
  }

  static long residentKilobytes(long pid) throws IOException {
    return requireKilobytes(Path.of("/proc", String.valueOf(pid), "status"), "VmRSS");
  }

  /** What a process has used of the processors so far, in steps of ten milliseconds. */
  static Duration cpu(long pid) throws IOException {
    String line = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
    String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return Duration.ofMillis(10 * (Long.parseLong(words[11]) + Long.parseLong(words[12])));
  }

  private static long requireKilobytes(Path file, String field) throws IOException {
    return findField(file, field)
        .map(value -> Long.parseLong(value.replace(" kB", "")))
        .orElseThrow(() -> new IOException(file + " has no field " + field + "."));
  }

  private static Optional<String> findField(Path file, String field) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(field))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst();
    }
  }
}
