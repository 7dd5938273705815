package dev.cove.egress.log;

import dev.cove.egress.limit.ByteBudget;
import dev.cove.egress.limit.DailyBytes;
import dev.cove.model.network.Destination;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.Verdict;
import dev.cove.model.observe.Tally;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** What one sandbox did with the network: the log, and the sums. */
public final class Journal {
  private final DecisionLog log = new DecisionLog();
  private final ByteBudget budget;
  private final Toll toll;
  private volatile DailyBytes day;
  private final LongAdder connections = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder faults = new LongAdder();

  /**
   * @param budget for both ways together
   * @param day of the project whose sandbox it is
   */
  public Journal(ByteBudget budget, Toll toll, DailyBytes day) {
    this.budget = budget;
    this.toll = toll;
    this.day = day;
  }

  /** It is another project's from now on. */
  public void charge(DailyBytes other) {
    day = other;
  }

  public List<LoggedDecision> log() {
    return log.now();
  }

  public LogLine connected(Destination destination, Verdict verdict, String address) {
    connections.increment();
    Tally.EGRESS_CONNECTIONS.increment();
    return log.add(destination, verdict, address);
  }

  public void denied(Destination destination, Verdict verdict) {
    denied.increment();
    Tally.EGRESS_DENIED.increment();
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
    toll.addSent(bytes);
    Tally.EGRESS_SENT.add(bytes);
    spend(bytes);
  }

  void received(long bytes) throws IOException {
    toll.addReceived(bytes);
    Tally.EGRESS_RECEIVED.add(bytes);
    spend(bytes);
  }

  private void spend(long bytes) throws IOException {
    boolean withinDay = day.spend(bytes);
    if (!budget.spend(bytes)) {
      throw new HourSpentException();
    }
    if (!withinDay) {
      throw new IOException("The project has sent and received as many bytes as it may today");
    }
  }

  /** Why no new connection may begin; empty where that is no question of bytes. */
  public Optional<Verdict> spent() {
    return budget.isSpent() ? Optional.of(Account.SPENT) : spentToday();
  }

  /** The same as far as the project is concerned. */
  public Optional<Verdict> spentToday() {
    return day.objection();
  }

  /** The sandbox itself has had its share, which the one connection hears of that noticed. */
  static final class HourSpentException extends IOException {
    private static final long serialVersionUID = 1;

    private HourSpentException() {
      super("The sandbox has sent and received as many bytes as it may");
    }
  }

  public long bytesSent() {
    return toll.sent();
  }

  public long bytesReceived() {
    return toll.received();
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
