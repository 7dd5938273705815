package dev.cove.sdk;

import dev.cove.sdk.transport.Response;
import java.time.Duration;
import java.util.Optional;

/** Changes to files as they happen. */
public final class FileWatch implements AutoCloseable {
  /** The server says something at least every 15 seconds. */
  static final Duration SILENCE_LIMIT = Duration.ofMinutes(1);

  /**
   * One change.
   *
   * @param kind created, modified, removed, moved_from, moved_to; or overflow when some were lost
   */
  public record Change(String kind, String path) {}

  private final EventReader events;

  FileWatch(Response response) {
    this.events = new EventReader(response, "The watch");
    // Changes made after the constructor returns must not be missed.
    events.awaitReady("The server did not begin to watch");
  }

  /** Waits for the next change; empty once the watch is over. */
  public Optional<Change> next() {
    for (var event = events.next(); event.isPresent(); event = events.next()) {
      switch (event.get().name()) {
        case "change" -> {
          return Optional.of(
              event
                  .get()
                  .as(json ->
                      new Change(json.requireText("kind"), json.findText("path").orElse(""))));
        }
        case "error" -> throw event.get().problem();
        default -> {
          // A later server may have more to say than we understand.
        }
      }
    }
    return Optional.empty();
  }

  /** Also ends a {@link #next} that waits on another thread. */
  @Override
  public void close() {
    events.close();
  }
}
