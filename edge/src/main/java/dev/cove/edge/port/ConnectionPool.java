package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.model.SandboxId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Connections to servers inside that wait for the next request: few, and not for long. */
final class ConnectionPool implements AutoCloseable {
  static final int PER_PORT = 32;
  private static final int IN_ALL = 1_024;

  private final Duration kept;
  private final Map<PortAddress, Deque<Kept>> waiting = new HashMap<>();
  private int count;
  private boolean closed;

  ConnectionPool(Duration kept) {
    this.kept = kept;
  }

  private record Kept(SandboxConnection connection, long sinceNanos) {}

  /** The one used last: the others may then grow old. */
  Optional<SandboxConnection> take(PortAddress address) {
    while (true) {
      SandboxConnection connection;
      synchronized (this) {
        Deque<Kept> there = waiting.get(address);
        if (there == null) {
          return Optional.empty();
        }
        connection = there.removeLast().connection();
        count--;
        if (there.isEmpty()) {
          waiting.remove(address);
        }
      }
      if (connection.isReusable()) {
        return Optional.of(connection);
      }
      connection.close();
    }
  }

  void give(PortAddress address, SandboxConnection connection) {
    if (!connection.isWhole() || !keep(address, connection)) {
      connection.close();
    }
  }

  private synchronized boolean keep(PortAddress address, SandboxConnection connection) {
    Deque<Kept> there = waiting.getOrDefault(address, new ArrayDeque<>(1));
    if (closed || count >= IN_ALL || there.size() >= PER_PORT) {
      return false;
    }
    there.addLast(new Kept(connection, System.nanoTime()));
    waiting.put(address, there);
    count++;
    return true;
  }

  void dropOld(long nowNanos) {
    drop(_ -> true, one -> nowNanos - one.sinceNanos() > kept.toNanos());
  }

  void forget(SandboxId sandbox) {
    drop(address -> address.sandbox().equals(sandbox), _ -> true);
  }

  private void drop(Predicate<PortAddress> ofAddress, Predicate<Kept> which) {
    List<Kept> dropped = new ArrayList<>();
    synchronized (this) {
      waiting.forEach((address, there) -> {
        if (ofAddress.test(address)) {
          there.stream().filter(which).forEach(dropped::add);
          there.removeIf(which);
        }
      });
      waiting.values().removeIf(Deque::isEmpty);
      count -= dropped.size();
    }
    dropped.forEach(one -> one.connection().close());
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    drop(_ -> true, _ -> true);
  }
}
