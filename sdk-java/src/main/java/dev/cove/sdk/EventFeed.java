package dev.cove.sdk;

import dev.cove.sdk.transport.Response;
import java.util.Optional;

/** Events as they happen. */
public final class EventFeed implements AutoCloseable {
  private final EventReader events;

  EventFeed(Response response) {
    this.events = new EventReader(response, "The stream of events");
    events.awaitReady("The server did not begin to tell events");
  }

  /**
   * Waits for the next event; empty once the stream is over. One of type events.dropped stands for
   * those that are not there any more.
   *
   * @throws CoveApiException when the server ends it, as when the key was revoked
   */
  public Optional<Event> next() {
    Optional<EventReader.Event> event = events.next();
    if (event.isEmpty()) {
      return Optional.empty();
    }
    return switch (event.get().name()) {
      case "error" -> throw event.get().problem();
      case "dropped" -> Optional.of(event.get().as(Event::dropped));
      default -> Optional.of(event.get().as(Event::of));
    };
  }

  /** Also ends a {@link #next} that waits on another thread. */
  @Override
  public void close() {
    events.close();
  }
}
