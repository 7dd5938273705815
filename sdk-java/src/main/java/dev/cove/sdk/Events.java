package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What happened on the server. */
public final class Events {
  private final Api api;

  Events(Api api) {
    this.api = api;
  }

  /**
   * Some events in a row.
   *
   * @param items begin with one of type events.dropped when what was to come first is not there any
   *     more
   * @param next to be given to {@link EventQuery#after}
   * @param more whether there are further ones already
   */
  public record Page(List<Event> items, long next, boolean more) {
    public Page {
      items = List.copyOf(items);
    }
  }

  /** Those that there are, the oldest first; at most so many. */
  public Page list(EventQuery query, int limit) {
    return api.fetch(query.path(OptionalLong.of(limit)), Events::page);
  }

  /** Those that come from now on, or after the one that was named. */
  public EventFeed follow(EventQuery query) {
    Request request =
        Request.of("GET", query.path(OptionalLong.empty()))
            .header("Accept", "text/event-stream")
            .readTimeout(FileWatch.SILENCE_LIMIT);
    return new EventFeed(api.send(request));
  }

  private static Page page(JsonObject json) {
    var items = new ArrayList<Event>();
    if (json.find("dropped").isPresent()) {
      items.add(Event.dropped(json.requireObject("dropped")));
    }
    json.objects("items").forEach(item -> items.add(Event.of(item)));
    return new Page(items, json.requireLong("next"), json.flag("more"));
  }
}
