package dev.cove.egress.log;

import dev.cove.model.network.Destination;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What one sandbox did with the network: the log, and the sums. */
public final class Journal {
  private final DecisionLog log = new DecisionLog();
  private final long maxBytes;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();
  private final LongAdder connections = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder faults = new LongAdder();

  /**
   * @param maxBytes both ways together
   */
  public Journal(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  public List<LoggedDecision> log() {
    return log.now();
  }

  public LogLine connected(Destination destination, Verdict verdict, String address) {
    connections.increment();
    return log.add(destination, verdict, address);
  }

  public void denied(Destination destination, Verdict verdict) {
    denied.increment();
    log.add(destination, verdict, "");
  }

  /** It was allowed, and yet there is no connection. */
  public void failed(Destination destination, Verdict verdict) {
    log.add(destination, verdict, "");
  }

  /** Something went wrong that should not have. */
  public void fault() {
    faults.increment();
  }

  void sent(long bytes) throws IOException {
    sent.addAndGet(bytes);
    requireLeft();
  }

  void received(long bytes) throws IOException {
    received.addAndGet(bytes);
    requireLeft();
  }

  private void requireLeft() throws IOException {
    if (isSpent()) {
      throw new IOException("The sandbox has sent and received as many bytes as it may");
    }
  }

  public boolean isSpent() {
    return sent.get() + received.get() > maxBytes;
  }

  public long bytesSent() {
    return sent.get();
  }

  public long bytesReceived() {
    return received.get();
  }

  public long connections() {
    return connections.sum();
  }

  public long denied() {
    return denied.sum();
  }

  public long faults() {
    return faults.sum();
  }
}
