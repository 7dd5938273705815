package dev.cove.egress.log;

import java.util.concurrent.atomic.AtomicLong;

/** All bytes of one sandbox since the gateway was opened, however often it was attached. */
public final class Toll {
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();

  void addSent(long bytes) {
    sent.addAndGet(bytes);
  }

  void addReceived(long bytes) {
    received.addAndGet(bytes);
  }

  public long sent() {
    return sent.get();
  }

  public long received() {
    return received.get();
  }
}
