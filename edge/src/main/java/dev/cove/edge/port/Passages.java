package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.edge.http.RawExchange;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All requests and connections on their way to ports: how many, and whether they may go on. */
final class Passages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Passages.class);

  private final PortLimits limits;
  private final ConnectionPool pool;
  private final Set<Passage> open = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<SandboxId, Integer> counts = new ConcurrentHashMap<>();
  private final Thread sweeper;

  Passages(PortLimits limits, ConnectionPool pool) {
    this.limits = limits;
    this.pool = pool;
    this.sweeper = Thread.ofVirtual().name("port-sweep").start(this::sweep);
  }

  /** Takes a place for the calling thread. */
  Passage enter(PortAddress address, Admission admission, RawExchange exchange) {
    SandboxId sandbox = address.sandbox();
    int now = counts.merge(sandbox, 1, Integer::sum);
    var passage = new Passage(this, address, admission.stillHolds(), exchange);
    if (now > limits.perSandbox()) {
      leave(sandbox);
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "All %d connections to ports of this sandbox are in use; try again later"
              .formatted(limits.perSandbox()));
    }
    open.add(passage);
    return passage;
  }

  void left(Passage passage) {
    open.remove(passage);
    leave(passage.address().sandbox());
  }

  private void leave(SandboxId sandbox) {
    counts.computeIfPresent(sandbox, (_, count) -> count > 1 ? count - 1 : null);
  }

  /** Cuts at once what a new setting of a port does not allow. */
  void recheck(PortAddress address) {
    long now = System.nanoTime();
    open.stream().filter(passage -> passage.address().equals(address)).forEach(p -> p.look(now));
  }

  /** Cuts everything to a sandbox that is gone. */
  void forget(SandboxId sandbox) {
    open.stream()
        .filter(passage -> passage.address().sandbox().equals(sandbox))
        .forEach(passage ->
            passage.cut(new CoveException(ErrorCode.NOT_FOUND, "There is no such sandbox.")));
  }

  private void sweep() {
    try {
      while (true) {
        Thread.sleep(limits.sweep());
        long now = System.nanoTime();
        open.forEach(passage -> lookSafely(passage, now));
        pool.dropOld(now);
      }
    } catch (InterruptedException _) {
      // The server ends.
    }
  }

  private static void lookSafely(Passage passage, long now) {
    try {
      passage.look(now);
    } catch (RuntimeException e) {
      // One that cannot be looked at must not keep the others from it.
      LOG.error("A connection to port {} could not be looked at", passage.address(), e);
    }
  }

  @Override
  public void close() {
    sweeper.interrupt();
    open.forEach(passage -> passage.cut(new IOException("The server is stopping")));
    pool.close();
  }
}
