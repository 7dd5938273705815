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

  private volatile Reading last = read();

  @Override
  public long bytes() {
    Reading reading = last;
    if (System.nanoTime() - reading.atNanos() > FRESH_NANOS) {
      reading = read();
      last = reading;
    }
    return reading.bytes();
  }

  private static Reading read() {
    try {
      for (String line : Files.readAllLines(MEMINFO)) {
        if (line.startsWith("MemAvailable:")) {
          String kib = line.substring("MemAvailable:".length(), line.length() - "kB".length());
          return new Reading(Long.parseLong(kib.strip()) << 10, System.nanoTime());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/meminfo cannot be read", e);
    }
    throw new IllegalStateException("/proc/meminfo does not say MemAvailable");
  }
}
