package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import dev.cove.sdk.transport.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Changes to files as they happen. */
public final class FileWatch implements AutoCloseable {
  /** The server says something at least every 15 seconds. */
  static final Duration SILENCE_LIMIT = Duration.ofMinutes(1);

  private static final int MAX_LINE = 256 * 1024;

  /**
   * One change.
   *
   * @param kind created, modified, removed, moved_from, moved_to; or overflow when some were lost
   */
  public record Change(String kind, String path) {}

  private final Response response;
  private final InputStream stream;
  private volatile boolean closed;

  FileWatch(Response response) {
    this.response = response;
    this.stream = response.body();
    awaitReady();
  }

  // Changes made after the constructor returns must not be missed.
  private void awaitReady() {
    try {
      Optional<Event> first = nextEvent();
      if (first.isEmpty() || !first.get().name.equals("ready")) {
        throw new CoveConnectionException("The server did not begin to watch");
      }
    } catch (CoveException e) {
      close();
      throw e;
    }
  }

  /** Waits for the next change; empty once the watch is over. */
  public Optional<Change> next() {
    for (Optional<Event> event = nextEvent(); event.isPresent(); event = nextEvent()) {
      switch (event.get().name) {
        case "change" -> {
          JsonObject json = event.get().data;
          return Optional.of(
              new Change(json.requireText("kind"), json.findText("path").orElse("")));
        }
        case "error" -> {
          int status = (int) (long) event.get().data.findLong("status").orElse(500L);
          throw Api.problem(status, event.get().data);
        }
        default -> {
          // A later server may have more to say than we understand.
        }
      }
    }
    return Optional.empty();
  }

  private record Event(String name, JsonObject data) {}

  private Optional<Event> nextEvent() {
    String name = "message";
    String data = "";
    try {
      for (Optional<String> line = readLine(); line.isPresent(); line = readLine()) {
        String text = line.get();
        if (text.startsWith("event:")) {
          name = text.substring("event:".length()).strip();
        } else if (text.startsWith("data:")) {
          data += text.substring("data:".length()).strip();
        } else if (text.isEmpty() && !data.isEmpty()) {
          return Optional.of(
              new Event(name, Json.parseObject(data.getBytes(StandardCharsets.UTF_8))));
        }
        if (data.length() > MAX_LINE) {
          throw new CoveConnectionException("The server sent an event that is too long");
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      if (closed) {
        return Optional.empty();
      }
      throw new CoveConnectionException("The watch broke off: " + e.getMessage(), e);
    } catch (JsonShapeException e) {
      throw new CoveConnectionException("The server sent an event that Cove does not know", e);
    }
  }

  private Optional<String> readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = stream.read(); b >= 0; b = stream.read()) {
      if (b == '\n') {
        return Optional.of(line.toString(StandardCharsets.UTF_8).stripTrailing());
      }
      if (line.size() == MAX_LINE) {
        throw new CoveConnectionException("The server sent an event that is too long");
      }
      line.write(b);
    }
    return Optional.empty();
  }

  /** Also ends a {@link #next} that waits on another thread. */
  @Override
  public void close() {
    closed = true;
    response.abort();
  }
}
