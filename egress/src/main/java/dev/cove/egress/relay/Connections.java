package dev.cove.egress.relay;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The open connections of one sandbox, up to a limit. */
public final class Connections implements AutoCloseable {
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private volatile int limit;
  private volatile boolean closed;

  public Connections(int limit) {
    this.limit = limit;
  }

  /** Those that are open stay, also where they are too many now. */
  public void change(int newLimit) {
    limit = newLimit;
  }

  /** Whether there was room for it; then {@link #remove} is owed. */
  public boolean add(Connection connection) {
    if (count.incrementAndGet() > limit) {
      count.decrementAndGet();
      return false;
    }
    open.add(connection);
    if (closed) {
      connection.cut();
    }
    return true;
  }

  public void remove(Connection connection) {
    if (open.remove(connection)) {
      count.decrementAndGet();
    }
  }

  public int size() {
    return count.get();
  }

  public void cutIf(Predicate<Connection> condition) {
    for (Connection connection : open) {
      if (condition.test(connection)) {
        connection.cut();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    cutIf(_ -> true);
  }
}
