package dev.cove.edge.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket in blocking terms, with back-pressure both ways.
 *
 * <p>Towards us: a few messages are read ahead; then the connection is left unread until some are
 * taken, so TCP holds the client back. Towards the client: a send returns when the message has
 * left.
 *
 * <p>A client that neither sends nor answers pings for a while is cut off, half a frame or not. One
 * that we hold back, or that holds us back, is excused: it may be unable to answer.
 */
public final class Socket {
  public static final int NORMAL = 1000;
  public static final int GOING_AWAY = 1001;
  public static final int POLICY = 1008;
  public static final int TOO_BIG = 1009;
  public static final int BROKEN = 1011;

  private static final int READ_AHEAD = 8;
  private static final Duration FAREWELL = Duration.ofSeconds(3);

  private final BlockingQueue<Message> arrived = new ArrayBlockingQueue<>(READ_AHEAD + 1);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final AtomicInteger sending = new AtomicInteger();
  private final HttpLimits limits;
  private final Caller caller;
  private final Object demandLock = new Object();
  private boolean demanding;
  private volatile long heardAt = System.nanoTime();
  private volatile @Nullable Session session;

  Socket(HttpLimits limits, Caller caller) {
    this.limits = limits;
    this.caller = caller;
  }

  /** What a client sends. A long binary message arrives in parts, in order. */
  public sealed interface Message {
    record Text(String text) implements Message {}

    record Binary(ByteBuffer bytes) implements Message {}

    /** The socket is closed; nothing follows. */
    record End() implements Message {}
  }

  /** The next message; blocks until there is one. */
  public Message receive() throws InterruptedException {
    Message message = arrived.take();
    if (message instanceof Message.End) {
      arrived.offer(message);
    } else {
      demandMore();
    }
    return message;
  }

  public void sendText(String text) throws IOException, InterruptedException {
    await(callback -> session().sendText(text, callback));
  }

  public void sendJson(Object value) throws IOException, InterruptedException {
    sendText(Json.writeText(value));
  }

  public void sendBinary(byte[] bytes, int length) throws IOException, InterruptedException {
    await(callback -> session().sendBinary(ByteBuffer.wrap(bytes, 0, length), callback));
  }

  /** Completes when the other end is gone or either side has closed. */
  public CompletableFuture<Void> closed() {
    return closed;
  }

  /** Says why and closes; a client that does not close in turn is cut off. */
  public void close(int code, String reason) {
    Session open = session;
    if (open == null || !open.isOpen()) {
      return;
    }
    open.close(code, reason, Callback.NOOP);
    var _ =
        closed
            .copy()
            .completeOnTimeout(null, FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
            .thenRun(open::disconnect);
  }

  void opened(Session opened) {
    session = opened;
    heardAt = System.nanoTime();
    synchronized (demandLock) {
      demanding = true;
    }
    opened.demand();
  }

  void arrived(Message message) {
    arrived.add(message);
    heardPart();
  }

  /** Something arrived that is no message yet, or none for the endpoint. */
  void heardPart() {
    heardAt = System.nanoTime();
    synchronized (demandLock) {
      demanding = false;
    }
    demandMore();
  }

  void ended() {
    closed.complete(null);
    arrived.offer(new Message.End());
  }

  /** Pings, and looks after key and silence, until the socket is closed. */
  void keep() throws InterruptedException {
    long pingedAt = System.nanoTime();
    while (!waitClosed(limits.tick())) {
      long now = System.nanoTime();
      if (!caller.isStillValid()) {
        close(POLICY, "The API key was revoked");
      } else if (isHeldBack()) {
        heardAt = now;
      } else if (now - heardAt > limits.silence().toNanos()) {
        session().disconnect();
      }
      if (now - pingedAt >= limits.heartbeat().toNanos() && sending.get() == 0) {
        pingedAt = now;
        session().sendPing(ByteBuffer.allocate(0), Callback.NOOP);
      }
    }
  }

  private boolean isHeldBack() {
    synchronized (demandLock) {
      return !demanding || sending.get() > 0;
    }
  }

  private void demandMore() {
    Session open = session;
    synchronized (demandLock) {
      if (open == null || demanding || arrived.size() >= READ_AHEAD || closed.isDone()) {
        return;
      }
      demanding = true;
    }
    open.demand();
  }

  private boolean waitClosed(Duration patience) throws InterruptedException {
    try {
      closed.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Send {
    void start(Callback callback);
  }

  private void await(Send send) throws IOException, InterruptedException {
    sending.incrementAndGet();
    try {
      var sent = new Callback.Completable();
      send.start(sent);
      sent.get();
    } catch (ExecutionException e) {
      throw new IOException("The WebSocket is closed", e.getCause());
    } finally {
      sending.decrementAndGet();
    }
  }

  private Session session() {
    Session open = session;
    if (open == null) {
      throw new IllegalStateException("The WebSocket is not open yet");
    }
    return open;
  }
}
