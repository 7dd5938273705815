package dev.cove.egress.relay;

import java.io.IOException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which bytes are carried.
 *
 * <p>What comes wakes a thread of the system once, and a virtual one by way of two others. On a
 * machine that has little to do that is most of what the gateway adds to a request. So the first
 * ways get threads of the system, and the many that there may be beyond them get virtual ones.
 */
public final class Lanes implements AutoCloseable {
  private static final int OF_THE_SYSTEM = 128;
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor system =
      new ThreadPoolExecutor(
          0,
          OF_THE_SYSTEM,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().name("relay-", 0).daemon().factory());

  /** One way of a connection, until its end. */
  interface Way {
    void carry() throws IOException;
  }

  FutureTask<Boolean> start(Way way) {
    var task =
        new FutureTask<>(() -> {
          way.carry();
          return true;
        });
    try {
      system.execute(task);
    } catch (RejectedExecutionException
        | OutOfMemoryError _) { // all are taken, or no more to be had
      Thread.startVirtualThread(task);
    }
    return task;
  }

  /** No way is cut short by this; those that still run have connections, which are closed. */
  @Override
  public void close() {
    system.shutdown();
  }
}
