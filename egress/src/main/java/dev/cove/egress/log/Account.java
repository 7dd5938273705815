package dev.cove.egress.log;

import dev.cove.egress.relay.Traffic;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What one connection adds to the journal. */
public final class Account implements Traffic {
  /** Why there is traffic. */
  private record Cause(Destination destination, Verdict verdict) {}

  /** What ends, and what is not begun, for want of bytes. */
  public static final Verdict SPENT = new Verdict(Outcome.DENIED, "limit bytes per hour");

  private final Journal journal;
  private volatile @Nullable Cause cause;
  private volatile @Nullable LogLine line;

  public Account(Journal journal) {
    this.journal = journal;
  }

  public void allowed(Destination destination, Verdict verdict) {
    cause = new Cause(destination, verdict);
  }

  public void denied(Destination destination, Verdict verdict) {
    journal.denied(destination, verdict);
  }

  public void failed(Destination destination, Verdict verdict) {
    journal.failed(destination, verdict);
  }

  @Override
  public void dialled(String where) {
    Cause why = cause;
    if (why == null) {
      throw new IllegalStateException("Dialled before it was allowed");
    }
    line = journal.connected(why.destination(), why.verdict(), where);
  }

  @Override
  public void sent(long bytes) throws IOException {
    LogLine open = line;
    if (open != null) {
      open.sent(bytes);
    }
    try {
      journal.sent(bytes);
    } catch (Journal.HourSpentException e) {
      cutByLimit();
      throw e;
    }
  }

  @Override
  public void received(long bytes) throws IOException {
    LogLine open = line;
    if (open != null) {
      open.received(bytes);
    }
    try {
      journal.received(bytes);
    } catch (Journal.HourSpentException e) {
      cutByLimit();
      throw e;
    }
  }

  private void cutByLimit() {
    Cause why = cause;
    if (why != null) {
      journal.denied(why.destination(), SPENT);
    }
  }
}
