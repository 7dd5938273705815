package dev.cove.e2e;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Looks at a process again and again and remembers the most memory it had. */
final class PeakMemory implements AutoCloseable {
  private final AtomicLong peak = new AtomicLong();
  private final AtomicBoolean done = new AtomicBoolean();

  PeakMemory(long pid) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          while (!done.get()) {
            look(pid);
            LockSupport.parkNanos(20_000_000);
          }
        });
  }

  private void look(long pid) {
    try {
      long now = ProcessFigures.residentBytes(pid);
      peak.accumulateAndGet(now, Math::max);
    } catch (IOException e) {
      peak.set(Long.MAX_VALUE); // the server has died, which is not flat
    }
  }

  long peak() {
    return peak.get();
  }

  @Override
  public void close() {
    done.set(true);
  }
}
