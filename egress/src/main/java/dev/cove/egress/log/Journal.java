package dev.cove.egress.log;

import dev.cove.egress.limit.ByteBudget;
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
  private final ByteBudget budget;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();
  private final LongAdder connections = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder faults = new LongAdder();

  /**
   * @param budget for both ways together
   */
  public Journal(ByteBudget budget) {
    this.budget = budget;
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
    spend(bytes);
  }

  void received(long bytes) throws IOException {
    received.addAndGet(bytes);
    spend(bytes);
  }

  private void spend(long bytes) throws IOException {
    if (!budget.spend(bytes)) {
      throw new IOException("The sandbox has sent and received as many bytes as it may");
    }
  }

  public boolean isSpent() {
    return budget.isSpent();
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
