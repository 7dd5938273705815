package dev.cove.sdk.transport;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one server, over connections that are kept for the next one. Safe for use by many
 * threads.
 */
public final class HttpClient implements AutoCloseable {
  static final int MAX_IDLE = 32;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_IDLE_TIME = Duration.ofSeconds(20);

  /** Longer than this idle, a connection is looked at before it is used again. */
  private static final Duration TRUSTED_IDLE_TIME = Duration.ofMillis(500);

  private final Endpoint endpoint;
  private final Map<String, String> commonHeaders;
  private final Supplier<SSLSocketFactory> tlsSockets;
  private final Deque<HttpConnection> idle = new ArrayDeque<>();
  private boolean closed;

  public HttpClient(Endpoint endpoint, Map<String, String> commonHeaders) {
    this(endpoint, commonHeaders, () -> (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  HttpClient(
      Endpoint endpoint, Map<String, String> commonHeaders, Supplier<SSLSocketFactory> tlsSockets) {
    this.endpoint = endpoint;
    this.commonHeaders = Map.copyOf(commonHeaders);
    this.tlsSockets = tlsSockets;
  }

  /**
   * Sends a request.
   *
   * <p>The server may drop an idle connection just as we use it. Then the request is sent once more
   * on a new one, if doing it twice is harmless.
   */
  public Response send(Request request) throws IOException {
    HttpConnection kept = takeIdle();
    if (kept != null) {
      try {
        return exchange(kept, request);
      } catch (SocketTimeoutException | SourceFailedException e) {
        throw e;
      } catch (IOException e) {
        if (!request.repeatable()) {
          throw e;
        }
      }
    }
    return exchange(connect(), request);
  }

  /** Opens a WebSocket on a connection of its own. */
  public WebSocket openWebSocket(Request request) throws IOException {
    HttpConnection connection = connect();
    try {
      return WebSocket.open(connection, withBase(request), endpoint.authority(), commonHeaders);
    } catch (IOException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private Response exchange(HttpConnection connection, Request request) throws IOException {
    try {
      ResponseHead head =
          connection.exchange(withBase(request), endpoint.authority(), commonHeaders);
      ResponseBody body = ResponseBody.of(request.method(), head, connection.input());
      return new Response(head, connection, body, this);
    } catch (IOException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private Request withBase(Request request) {
    return new Request(
        request.method(),
        endpoint.basePath() + request.target(),
        request.headers(),
        request.body(),
        request.readTimeout());
  }

  private HttpConnection connect() throws IOException {
    return new HttpConnection(endpoint.open(CONNECT_TIMEOUT, tlsSockets));
  }

  private @Nullable HttpConnection takeIdle() {
    for (HttpConnection connection = pollIdle(); connection != null; connection = pollIdle()) {
      Duration age = connection.idleFor();
      boolean usable =
          age.compareTo(TRUSTED_IDLE_TIME) < 0
              || (age.compareTo(MAX_IDLE_TIME) < 0 && connection.looksAlive());
      if (usable) {
        return connection;
      }
      connection.close();
    }
    return null;
  }

  private @Nullable HttpConnection pollIdle() {
    synchronized (idle) {
      return idle.pollFirst();
    }
  }

  void giveBack(HttpConnection connection) {
    connection.markIdle();
    synchronized (idle) {
      if (!closed && idle.size() < MAX_IDLE) {
        idle.addFirst(connection);
        return;
      }
    }
    connection.close();
  }

  int idleConnections() {
    synchronized (idle) {
      return idle.size();
    }
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      idle.forEach(HttpConnection::close);
      idle.clear();
    }
  }
}
