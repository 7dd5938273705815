package dev.cove.edge;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A WebSocket client that takes one message at a time and says when it has closed. */
final class TestSocket implements WebSocket.Listener, AutoCloseable {
  private final LinkedBlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();
  private final ByteArrayOutputStream binary = new ByteArrayOutputStream();
  private final WebSocket socket;

  record Closed(int code, String reason) {}

  private TestSocket(RunningEdge edge, String target, String key) throws Exception {
    try {
      socket =
          edge.client()
              .newWebSocketBuilder()
              .header("X-API-Key", key)
              .buildAsync(URI.create("ws://127.0.0.1:" + edge.port() + target), this)
              .get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  static TestSocket open(RunningEdge edge, String target) throws Exception {
    return open(edge, target, edge.key());
  }

  static TestSocket open(RunningEdge edge, String target, String key) throws Exception {
    return new TestSocket(edge, target, key);
  }

  TestSocket text(String message) throws Exception {
    socket.sendText(message, true).get(30, TimeUnit.SECONDS);
    return this;
  }

  /** Sends what the server may refuse before it has read it all. */
  TestSocket textUntilRefused(String message) throws Exception {
    try {
      return text(message);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException) {
        return this; // the server has closed already
      }
      throw e;
    }
  }

  TestSocket binary(byte[] bytes) throws Exception {
    socket.sendBinary(ByteBuffer.wrap(bytes), true).get(30, TimeUnit.SECONDS);
    return this;
  }

  /** A JsonNode for text, a byte[] for binary, or Closed. */
  Object next() throws InterruptedException, TimeoutException {
    Object message = arrived.poll(30, TimeUnit.SECONDS);
    if (message == null) {
      throw new TimeoutException("No message came");
    }
    return message;
  }

  JsonNode nextText() throws InterruptedException, TimeoutException {
    Object message = next();
    if (message instanceof JsonNode json) {
      return json;
    }
    throw new AssertionError("Expected text, got " + message);
  }

  /** All output of a stream up to the next text message, which must be of that type. */
  String outputUntil(String type) throws InterruptedException, TimeoutException {
    var output = new StringBuilder();
    while (true) {
      switch (next()) {
        case byte[] bytes ->
            output.append(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8));
        case JsonNode json -> {
          if (!json.get("type").asString().equals(type)) {
            throw new AssertionError(json.toString());
          }
          last = json;
          return output.toString();
        }
        case Object other -> throw new AssertionError("Unexpected " + other);
      }
    }
  }

  private @Nullable JsonNode last;

  JsonNode last() {
    return Objects.requireNonNull(last);
  }

  Closed nextClosed() throws InterruptedException, TimeoutException {
    while (true) {
      if (next() instanceof Closed closed) {
        return closed;
      }
    }
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean end) {
    text.append(data);
    if (end) {
      arrived.add(RunningEdge.JSON.readTree(text.toString()));
      text.setLength(0);
    }
    webSocket.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean end) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    binary.writeBytes(bytes);
    if (end) {
      arrived.add(binary.toByteArray());
      binary.reset();
    }
    webSocket.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
    arrived.add(new Closed(code, reason));
    return null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    arrived.add(new Closed(1006, error.toString()));
  }

  @Override
  public void close() {
    socket.abort();
  }
}
