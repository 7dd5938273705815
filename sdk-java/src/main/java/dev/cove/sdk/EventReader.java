package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import dev.cove.sdk.transport.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;

/** The server-sent events of one answer, as they come. */
final class EventReader implements AutoCloseable {
  static final int MAX_EVENT = 1024 * 1024;

  private final Response response;
  private final InputStream stream;
  private final String what;
  private final int longest;
  private volatile boolean closed;

  /** One event. */
  record Event(String name, JsonObject data) {
    /** Its data as a value. */
    <T> T as(Function<JsonObject, T> reader) {
      try {
        return reader.apply(data);
      } catch (JsonShapeException e) {
        throw unknown(e);
      }
    }

    /** Its data as the failure that it tells of. */
    CoveApiException problem() {
      return as(json -> Api.problem((int) (long) json.findLong("status").orElse(500L), json));
    }
  }

  /**
   * @param what stands before "broke off" when it does
   */
  EventReader(Response response, String what) {
    this(response, what, MAX_EVENT);
  }

  /**
   * @param longest the bytes that an event may have
   */
  EventReader(Response response, String what, int longest) {
    this.longest = longest;
    this.response = response;
    this.stream = response.body();
    this.what = what;
  }

  /** Waits for the event that says that from now on none is missed. */
  void awaitReady(String otherwise) {
    try {
      Optional<Event> first = next();
      if (first.isEmpty() || !first.get().name().equals("ready")) {
        throw new CoveConnectionException(otherwise);
      }
    } catch (CoveException e) {
      close();
      throw e;
    }
  }

  /** Waits for the next event; empty once there are no more. */
  Optional<Event> next() {
    String name = "message";
    var data = new StringBuilder();
    try {
      for (Optional<String> line = readLine(); line.isPresent(); line = readLine()) {
        String text = line.get();
        if (text.startsWith("event:")) {
          name = text.substring("event:".length()).strip();
        } else if (text.startsWith("data:")) {
          data.append(text.substring("data:".length()).strip());
        } else if (text.isEmpty() && !data.isEmpty()) {
          return Optional.of(
              new Event(name, Json.parseObject(data.toString().getBytes(StandardCharsets.UTF_8))));
        }
        if (data.length() > longest) {
          throw tooLong();
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      if (closed) {
        return Optional.empty();
      }
      throw new CoveConnectionException(what + " broke off: " + e.getMessage(), e);
    } catch (JsonShapeException e) {
      throw unknown(e);
    }
  }

  private Optional<String> readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = stream.read(); b >= 0; b = stream.read()) {
      if (b == '\n') {
        return Optional.of(line.toString(StandardCharsets.UTF_8).stripTrailing());
      }
      if (line.size() == longest) {
        throw tooLong();
      }
      line.write(b);
    }
    return Optional.empty();
  }

  private static CoveConnectionException tooLong() {
    return new CoveConnectionException("The server sent an event that is too long");
  }

  private static CoveConnectionException unknown(JsonShapeException e) {
    return new CoveConnectionException("The server sent an event that Cove does not know", e);
  }

  /** Also ends a {@link #next} that waits on another thread. */
  @Override
  public void close() {
    closed = true;
    response.abort();
  }
}
