package dev.cove.node.admission;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The kernel's own estimate of the memory that new work can get. Reading it takes a good part of a
 * millisecond, so it is read beside the work, at most every 100 ms, and waited for only when the
 * last reading is seconds old.
 */
public final class KernelMemory implements Admission.AvailableMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final long FRESH_NANOS = Duration.ofMillis(100).toNanos();
  private static final long STALE_NANOS = Duration.ofSeconds(2).toNanos();

  private record Reading(long bytes, long atNanos) {}

  private final AtomicBoolean reading = new AtomicBoolean();
  private volatile Reading last = readAvailable();

  @Override
  public long bytes() {
    long age = System.nanoTime() - last.atNanos();
    if (age > STALE_NANOS) {
      last = readAvailable();
    } else if (age > FRESH_NANOS && reading.compareAndSet(false, true)) {
      Thread.ofVirtual().name("available-memory").start(this::refresh);
    }
    return last.bytes();
  }

  private void refresh() {
    try {
      last = readAvailable();
    } finally {
      reading.set(false);
    }
  }

  /** All that the machine has. */
  public static long totalBytes() {
    return read("MemTotal:");
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
