package dev.cove.guest;

import java.util.concurrent.locks.LockSupport;

/** Waits for what another process does in its own time; fails after a while. */
final class Await {
  interface Condition {
    boolean holds() throws Exception;
  }

  static void until(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + RunningAgent.PATIENCE.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not in time: " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  private Await() {}
}
