package dev.cove.sdk;

import dev.cove.sdk.transport.Response;
import java.util.Optional;

/** Lines of a log as they are said. */
public final class LogFeed implements AutoCloseable {
  private final EventReader events;

  LogFeed(Response response) {
    this.events = new EventReader(response, "The stream of log lines");
    events.awaitReady("The server did not begin to tell log lines");
  }

  /**
   * Waits for the next line; empty once the stream is over, as when the sandbox is gone.
   *
   * @throws CoveApiException when the server ends it, as when the key was revoked
   */
  public Optional<LogLine> next() {
    while (true) {
      Optional<EventReader.Event> event = events.next();
      if (event.isEmpty()) {
        return Optional.empty();
      }
      switch (event.get().name()) {
        case "error" -> throw event.get().problem();
        case "line" -> {
          return Optional.of(event.get().as(LogLine::of));
        }
        default -> {} // older lines made room for newer ones
      }
    }
  }

  /** Also ends a {@link #next} that waits on another thread. */
  @Override
  public void close() {
    events.close();
  }
}
