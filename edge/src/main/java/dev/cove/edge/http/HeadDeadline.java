package dev.cove.edge.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Closes connections whose request head does not get finished.
 *
 * <p>An idle timeout alone is not enough: one byte now and then keeps a connection from being idle,
 * and ten thousand such connections keep everybody else out.
 */
final class HeadDeadline extends AbstractLifeCycle implements Connection.Listener {
  private final Map<Connection, Progress> connections = new ConcurrentHashMap<>();
  private final Scheduler scheduler;
  private final Duration deadline;
  private final long everyMillis;

  HeadDeadline(Scheduler scheduler, Duration deadline) {
    this.scheduler = scheduler;
    this.deadline = deadline;
    this.everyMillis = Math.max(50, deadline.toMillis() / 5);
  }

  @Override
  protected void doStart() {
    scheduler.schedule(this::sweep, everyMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof ConnectionMetaData) {
      connections.put(connection, new Progress(0, 0, 0, System.nanoTime()));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    connections.remove(connection);
  }

  private void sweep() {
    if (!isStarting() && !isStarted()) {
      return;
    }
    long now = System.nanoTime();
    connections.replaceAll((connection, progress) -> progress.look(connection, now));
    connections.forEach((connection, progress) -> {
      if (now - progress.sinceNanos > deadline.toNanos()) {
        connection.getEndPoint().close();
      }
    });
    scheduler.schedule(this::sweep, everyMillis, TimeUnit.MILLISECONDS);
  }

  /**
   * How far a connection was when we last looked.
   *
   * @param sinceNanos when the head that is arriving now was not there yet
   */
  private record Progress(long requests, long responses, long bytes, long sinceNanos) {
    Progress look(Connection connection, long now) {
      long in = connection.getMessagesIn();
      long out = connection.getMessagesOut();
      long bytesNow = connection.getBytesIn();
      boolean working = in != out;
      boolean worked = in != requests || out != responses;
      boolean silent = bytesNow == bytes;
      return working || worked || silent ? new Progress(in, out, bytesNow, now) : this;
    }
  }
}
