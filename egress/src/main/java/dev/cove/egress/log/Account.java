package dev.cove.egress.log;

import dev.cove.egress.relay.Traffic;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** What one connection adds to the journal. */
public final class Account implements Traffic {
  /** Why there is traffic. */
  private record Cause(Destination destination, Verdict verdict) {}

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
  public void dialled(InetSocketAddress address) {
    Cause why = cause;
    if (why == null) {
      throw new IllegalStateException("Dialled before it was allowed");
    }
    line =
        journal.connected(why.destination(), why.verdict(), address.getAddress().getHostAddress());
  }

  @Override
  public void sent(long bytes) throws IOException {
    LogLine open = line;
    if (open != null) {
      open.sent(bytes);
    }
    journal.sent(bytes);
  }

  @Override
  public void received(long bytes) throws IOException {
    LogLine open = line;
    if (open != null) {
      open.received(bytes);
    }
    journal.received(bytes);
  }
}
