package dev.cove.edge.service;

import dev.cove.control.log.LogFilter;
import dev.cove.control.log.LogLine;
import dev.cove.control.log.LogPage;
import dev.cove.control.log.LogReader;
import dev.cove.control.log.SandboxLog;
import dev.cove.control.log.SandboxLogs;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.edge.http.Query;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.SseStart;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** What services have said: a page at a time, or as they say it. Neither wakes a sandbox. */
public final class LogRoutes {
  static final int STREAMS = 64;
  private static final int PAGE = 1_000;
  private static final int MAX_PAGE = 10_000;
  private static final int SENT_AT_ONCE = 200;

  private final SandboxLifecycle lifecycle;
  private final SandboxLogs logs;
  private final Semaphore streams = new Semaphore(STREAMS);

  public LogRoutes(SandboxLifecycle lifecycle, SandboxLogs logs) {
    this.lifecycle = lifecycle;
    this.logs = logs;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/logs", this::logs)
            .query("after", "limit", "tail", "since", "service", "stream"));
  }

  private void logs(Exchange exchange) throws IOException, InterruptedException {
    SandboxLog log = logs.of(lifecycle.require(exchange.path("box")).id());
    Query query = exchange.query();
    LogFilter filter = filter(query);
    int limit = (int) query.number("limit", PAGE, 1, MAX_PAGE);
    LogReader reader = reader(exchange, log, filter);
    if (!exchange.accepts("text/event-stream")) {
      exchange.sendLong(200, ListBody.of(reader.next(limit)));
      return;
    }
    if (!streams.tryAcquire()) {
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "There are %d streams of logs, which is the most there may be; end one first, or ask for pages."
              .formatted(STREAMS));
    }
    try {
      stream(exchange, log, reader);
    } finally {
      streams.release();
    }
  }

  private static LogFilter filter(Query query) {
    return new LogFilter(
        query.find("service"),
        query.find("stream").map(LogRoutes::streamNamed),
        query.find("since").map(LogRoutes::time));
  }

  private static LogLine.Stream streamNamed(String name) {
    return LogLine.Stream.find(name)
        .orElseThrow(() ->
            new IllegalArgumentException("Query parameter stream must be stdout, stderr or cove"));
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "Query parameter since must be a time such as 2030-01-31T12:00:00Z", e);
    }
  }

  private static LogReader reader(Exchange exchange, SandboxLog log, LogFilter filter)
      throws IOException {
    Optional<Long> after = SseStart.after(exchange, "a line");
    Query query = exchange.query();
    if (query.find("tail").isPresent()) {
      int lines = (int) query.number("tail", 0, 0, MAX_PAGE);
      if (query.find("after").isPresent()) {
        throw new IllegalArgumentException("Give after or tail, not both");
      }
      // A client that comes back repeats all that it said at first.
      return after.isPresent()
          ? LogReader.after(log, filter, after.get())
          : LogReader.tail(log, filter, lines);
    }
    return after
        .map(id -> LogReader.after(log, filter, id))
        .orElseGet(() -> LogReader.fromOldest(log, filter));
  }

  private static void stream(Exchange exchange, SandboxLog log, LogReader reader)
      throws IOException, InterruptedException {
    EventStream out = exchange.events();
    out.send("ready", new Ready(reader.position()));
    var gone = new AtomicBoolean();
    try (ClientPresence _ = exchange.watchClient(() -> gone.set(true))) {
      pass(exchange, log, reader, out, gone);
    } catch (CoveException e) {
      if (!gone.get()) {
        out.send("error", Problem.of(e, "logs"));
      }
    }
  }

  private static void pass(
      Exchange exchange, SandboxLog log, LogReader reader, EventStream out, AtomicBoolean gone)
      throws IOException, InterruptedException {
    Pulse pulse = exchange.pulse(out);
    while (!gone.get() && !log.hasGone()) {
      LogPage page = reader.next(SENT_AT_ONCE);
      if (page.gap()) {
        out.send("dropped", new Dropped(page.items().isEmpty() ? page.next() : first(page)));
      }
      for (LogLine line : page.items()) {
        out.send("line", LineBody.of(line), line.id());
        pulse.beat();
      }
      pulse.beat();
      if (!page.more()) {
        Thread.sleep(SseStart.BREATH);
        log.awaitAfter(reader.position(), exchange.limits().tick());
      }
    }
  }

  private static long first(LogPage page) {
    return page.items().getFirst().id();
  }

  record Ready(long after) {}

  /**
   * @param from the first line that is there
   */
  record Dropped(long from) {}

  /**
   * @param cut the line goes on in the next one
   */
  record LineBody(
      long id, String time, String service, String stream, String text, Optional<Boolean> cut) {
    static LineBody of(LogLine line) {
      return new LineBody(
          line.id(),
          line.time().toString(),
          line.piece().service(),
          line.piece().stream().publicName(),
          line.piece().text(),
          line.piece().cut() ? Optional.of(true) : Optional.empty());
    }
  }

  record ListBody(List<LineBody> items, long next, boolean more, boolean dropped) {
    static ListBody of(LogPage page) {
      return new ListBody(
          page.items().stream().map(LineBody::of).toList(), page.next(), page.more(), page.gap());
    }
  }
}
