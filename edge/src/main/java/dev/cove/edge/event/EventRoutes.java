package dev.cove.edge.event;

import dev.cove.control.event.Event;
import dev.cove.control.event.EventFilter;
import dev.cove.control.event.EventPage;
import dev.cove.control.event.EventPage.Gap;
import dev.cove.control.event.EventTypes;
import dev.cove.control.event.Events;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.SseStart;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** What happened: a page at a time, or as it happens. */
public final class EventRoutes {
  static final int STREAMS = 64;
  private static final int PAGE = 100;
  private static final int SENT_AT_ONCE = 200;

  private final Events events;
  private final SandboxLifecycle lifecycle;
  private final Semaphore streams = new Semaphore(STREAMS);

  public EventRoutes(Events events, SandboxLifecycle lifecycle) {
    this.events = events;
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/api/v1/events", this::events)
            .query("after", "limit", "sandbox", "type", "project"));
  }

  private void events(Exchange exchange) throws IOException, InterruptedException {
    var filter =
        new EventFilter(
            exchange.query().find("sandbox").map(this::sandbox),
            EventTypes.of(exchange.query().all("type")));
    int limit = (int) exchange.query().number("limit", PAGE, 1, Events.MAX_PAGE);
    Optional<Long> after = SseStart.after(exchange, "an event");
    if (!exchange.accepts("text/event-stream")) {
      EventPage page = events.page(filter, after.orElseGet(this::beforeOldest), limit);
      exchange.send(200, ListBody.of(page));
      return;
    }
    if (!streams.tryAcquire()) {
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "There are %d streams of events, which is the most there may be; end one first, or ask for pages."
              .formatted(STREAMS));
    }
    try {
      stream(exchange, filter, after.orElseGet(events::newest));
    } finally {
      streams.release();
    }
  }

  /** A sandbox that is gone has no name any more, but still its id. */
  private SandboxId sandbox(String idOrName) {
    return SandboxId.isValid(idOrName) ? new SandboxId(idOrName) : lifecycle.require(idOrName).id();
  }

  /** Whoever names no place begins with the oldest that there is, and has missed nothing. */
  private long beforeOldest() {
    return events.page(EventFilter.ALL, 0, 1).items().stream()
        .findFirst()
        .map(oldest -> oldest.id() - 1)
        .orElseGet(events::newest);
  }

  private void stream(Exchange exchange, EventFilter filter, long after)
      throws IOException, InterruptedException {
    EventStream out = exchange.events();
    out.send("ready", new Ready(after));
    var gone = new AtomicBoolean();
    try (ClientPresence _ = exchange.watchClient(() -> gone.set(true))) {
      pass(exchange, filter, after, out, gone);
    } catch (CoveException e) {
      if (!gone.get()) {
        out.send("error", Problem.of(e, "events"));
      }
    }
  }

  private void pass(
      Exchange exchange, EventFilter filter, long after, EventStream out, AtomicBoolean gone)
      throws IOException, InterruptedException {
    Pulse pulse = exchange.pulse(out);
    long at = after;
    while (!gone.get()) {
      EventPage page = events.page(filter, at, SENT_AT_ONCE);
      if (page.gap().isPresent()) {
        Gap gap = page.gap().get();
        out.send("dropped", new Dropped(gap.after(), gap.from()));
      }
      for (Event event : page.items()) {
        out.send(event.type(), EventBody.of(event), event.id());
        pulse.beat();
      }
      pulse.beat();
      at = page.next();
      if (!page.more()) {
        Thread.sleep(SseStart.BREATH);
        events.awaitAfter(at, exchange.limits().tick());
      }
    }
  }

  record Ready(long after) {}

  record Dropped(long after, long from) {}

  record ListBody(List<EventBody> items, long next, boolean more, Optional<Dropped> dropped) {
    static ListBody of(EventPage page) {
      return new ListBody(
          page.items().stream().map(EventBody::of).toList(),
          page.next(),
          page.more(),
          page.gap().map(gap -> new Dropped(gap.after(), gap.from())));
    }
  }
}
