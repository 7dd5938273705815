package dev.cove.edge.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Feeds a {@link Socket} from the library's callbacks and runs its endpoint. */
public final class SocketListener implements Session.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(SocketListener.class);
  private static final int MAX_TEXT = 256 * 1024;

  private final Socket socket;
  private final SocketEndpoint endpoint;
  private final CompletableFuture<Void> opening;
  private final AtomicInteger open;
  private final StringBuilder text = new StringBuilder();

  SocketListener(
      Socket socket, SocketEndpoint endpoint, CompletableFuture<Void> opening, AtomicInteger open) {
    this.socket = socket;
    this.endpoint = endpoint;
    this.opening = opening;
    this.open = open;
  }

  @Override
  public void onWebSocketOpen(Session session) {
    if (!opening.complete(null)) {
      session.disconnect();
      return;
    }
    socket.opened(session);
    Thread.ofVirtual().name("socket").start(this::run);
    Thread.ofVirtual().name("socket-keeper").start(this::keep);
  }

  @Override
  public void onWebSocketPartialBinary(ByteBuffer payload, boolean last, Callback callback) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    callback.succeed();
    socket.arrived(new Socket.Message.Binary(ByteBuffer.wrap(bytes)));
  }

  @Override
  public void onWebSocketPartialText(String payload, boolean last) {
    if (text.length() + payload.length() > MAX_TEXT) {
      socket.close(Socket.TOO_BIG, "A text message may have at most " + MAX_TEXT + " characters");
      return;
    }
    text.append(payload);
    if (last) {
      String whole = text.toString();
      text.setLength(0);
      socket.arrived(new Socket.Message.Text(whole));
    } else {
      socket.heardPart();
    }
  }

  @Override
  public void onWebSocketPong(ByteBuffer payload) {
    socket.heardPart();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    LOG.debug("WebSocket failed", cause);
    socket.ended();
  }

  @Override
  public void onWebSocketClose(int statusCode, String reason, Callback callback) {
    socket.ended();
    callback.succeed();
  }

  private void run() {
    open.incrementAndGet();
    try {
      endpoint.run(socket);
      socket.close(Socket.NORMAL, "");
    } catch (IOException e) {
      LOG.debug("WebSocket ended early", e);
      socket.close(Socket.GOING_AWAY, "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      socket.close(Socket.GOING_AWAY, "");
    } catch (RuntimeException e) {
      refuse(e);
    } finally {
      open.decrementAndGet();
    }
  }

  private void refuse(RuntimeException failure) {
    Problem problem = Problem.of(failure, "WebSocket");
    try {
      socket.sendJson(SocketProblem.of(problem));
    } catch (IOException e) {
      LOG.debug("Nobody was there to hear of a problem", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close(problem.status() < 500 ? Socket.POLICY : Socket.BROKEN, problem.code());
  }

  private void keep() {
    try {
      socket.keep();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A problem with the type that every message of ours has. */
  private record SocketProblem(String type, String title, int status, String detail, String code) {
    static SocketProblem of(Problem problem) {
      return new SocketProblem(
          "error", problem.title(), problem.status(), problem.detail(), problem.code());
    }
  }
}
