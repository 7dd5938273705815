package dev.cove.node.admission;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The kernel's own estimate of the memory that new work can get, read at most every 100 ms. */
public final class KernelMemory implements Admission.AvailableMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final long FRESH_NANOS = Duration.ofMillis(100).toNanos();

  private record Reading(long bytes, long atNanos) {}

  private final long total = read("MemTotal:");
  private volatile Reading last = readAvailable();

  @Override
  public long bytes() {
    Reading reading = last;
    if (System.nanoTime() - reading.atNanos() > FRESH_NANOS) {
      reading = readAvailable();
      last = reading;
    }
    return reading.bytes();
  }

  @Override
  public long totalBytes() {
    return total;
  }

  private static Reading readAvailable() {
    return new Reading(read("MemAvailable:"), System.nanoTime());
  }

  private static long read(String field) {
    try {
      for (String line : Files.readAllLines(MEMINFO)) {
        if (line.startsWith(field)) {
          String kib = line.substring(field.length(), line.length() - "kB".length());
          return Long.parseLong(kib.strip()) << 10;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/meminfo cannot be read", e);
    }
    throw new IllegalStateException("/proc/meminfo does not say " + field);
  }
}
