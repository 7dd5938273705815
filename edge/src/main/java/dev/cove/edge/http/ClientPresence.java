package dev.cove.edge.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Notices that a client hangs up while its request is being worked on.
 *
 * <p>HTTP/1.1 servers do not read while they work, so an end of stream goes unseen. Here we ask to
 * be told when the socket turns readable and read one byte: an end means that the client is gone, a
 * byte is the start of a pipelined request and is handed back to the connection.
 */
public final class ClientPresence implements AutoCloseable {
  private final EndPoint endPoint;
  private final Connection connection;
  private final Runnable whenGone;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;
  private boolean fired;

  private ClientPresence(Request request, Runnable whenGone) {
    this.connection = request.getConnectionMetaData().getConnection();
    this.endPoint = connection.getEndPoint();
    this.whenGone = whenGone;
  }

  static ClientPresence watch(Request request, Runnable whenGone) {
    var presence = new ClientPresence(request, whenGone);
    if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2) {
      // Such a connection is always being read, and says by itself that a stream has been reset.
      presence.fired = true;
      request.addFailureListener(_ -> presence.goneUnlessClosed());
      return presence;
    }
    presence.endPoint.tryFillInterested(
        new Callback() {
          @Override
          public void succeeded() {
            presence.look();
          }

          @Override
          public void failed(Throwable cause) {
            if (!(cause instanceof CancellationException)) {
              presence.gone();
            }
          }
        });
    return presence;
  }

  private void look() {
    lock.lock();
    try {
      fired = true;
      if (closed) {
        return;
      }
      ByteBuffer one = BufferUtil.allocate(1);
      int filled = endPoint.fill(one);
      if (filled < 0) {
        gone();
      } else if (filled > 0 && connection instanceof Connection.UpgradeTo buffered) {
        buffered.onUpgradeTo(one);
      }
    } catch (IOException e) {
      gone();
    } finally {
      lock.unlock();
    }
  }

  private void goneUnlessClosed() {
    lock.lock();
    try {
      if (!closed) {
        gone();
      }
    } finally {
      lock.unlock();
    }
  }

  private void gone() {
    Thread.ofVirtual().name("client-gone").start(whenGone);
  }

  /** Stops watching, so that the connection can read again. */
  @Override
  public void close() {
    boolean waiting;
    lock.lock();
    try {
      closed = true;
      waiting = !fired;
    } finally {
      lock.unlock();
    }
    if (waiting && endPoint instanceof AbstractEndPoint watched) {
      watched.getFillInterest().onFail(new CancellationException());
    }
  }
}
