package dev.cove.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process uses, as the kernel counts it. */
record ProcessFigures(long residentBytes, int descriptors, int threads) {
  static ProcessFigures of(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    try (var descriptors = Files.list(process.resolve("fd"))) {
      return new ProcessFigures(
          status(process, "VmRSS") * 1024,
          (int) descriptors.count(),
          (int) status(process, "Threads"));
    }
  }

  static long residentBytes(long pid) throws IOException {
    return status(Path.of("/proc", Long.toString(pid)), "VmRSS") * 1024;
  }

  private static long status(Path process, String field) throws IOException {
    return Files.readAllLines(process.resolve("status")).stream()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow(() -> new IOException(process + " does not say its " + field));
  }
}
