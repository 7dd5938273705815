package dev.cove.edge.e2b.sandbox;

import dev.cove.control.log.LogFilter;
import dev.cove.control.log.LogLine;
import dev.cove.control.log.LogPage;
import dev.cove.control.log.LogReader;
import dev.cove.control.log.SandboxLog;
import dev.cove.control.log.SandboxLogs;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Query;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What services in a sandbox have said. */
public final class LogRoutes {
  private static final int MOST = 1_000;
  private static final long LAST_MILLISECOND = 253_402_300_799_999L;
  private static final List<String> LEVELS = List.of("debug", "info", "warn", "error");

  private final Envd envd;
  private final SandboxLogs logs;

  public LogRoutes(Envd envd, SandboxLogs logs) {
    this.envd = envd;
    this.logs = logs;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/logs", this::first).query("start", "limit"),
        Route.of("GET", E2bDialect.ROOT + "/v2/sandboxes/{box}/logs", this::second)
            .query("cursor", "limit", "direction", "level", "search"));
  }

  /** The line is JSON in a text: the command line of E2B's reads it as such. */
  record Line(Instant timestamp, String line) {
    static Line of(Entry entry) {
      return new Line(
          entry.timestamp(),
          Json.writeText(
              Map.of(
                  "level",
                  entry.level(),
                  "logger",
                  entry.fields().get("logger"),
                  "message",
                  entry.message())));
    }
  }

  record Entry(Instant timestamp, String level, String message, Map<String, String> fields) {
    static Entry of(LogLine line) {
      String stream = line.piece().stream().publicName();
      return new Entry(
          line.time(),
          line.piece().stream() == LogLine.Stream.STDERR ? "warn" : "info",
          line.piece().text(),
          Map.of("logger", line.piece().service(), "stream", stream));
    }
  }

  record FirstBody(List<Line> logs, List<Entry> logEntries) {}

  record SecondBody(List<Entry> logs) {}

  private void first(Exchange exchange) throws IOException {
    Query query = exchange.query();
    int limit = limit(query);
    Optional<Instant> since = time(query, "start");
    Collection<Entry> found = collect(log(exchange), since, _ -> true, limit, false);
    exchange.sendLong(
        200, new FirstBody(found.stream().map(Line::of).toList(), List.copyOf(found)));
  }

  private void second(Exchange exchange) throws IOException {
    Query query = exchange.query();
    int limit = limit(query);
    boolean backward =
        switch (query.find("direction").orElse("forward")) {
          case "forward" -> false;
          case "backward" -> true;
          default -> throw new IllegalArgumentException("direction must be forward or backward");
        };
    String search = query.find("search").orElse("");
    int level = level(query.find("level").orElse("debug"));
    Optional<Instant> cursor = time(query, "cursor");
    Predicate<Entry> wanted =
        entry -> level(entry.level()) >= level && entry.message().contains(search);
    if (backward && cursor.isPresent()) {
      Instant before = cursor.get();
      wanted = wanted.and(entry -> entry.timestamp().isBefore(before));
    }
    Optional<Instant> since = backward ? Optional.empty() : cursor;
    var found = new ArrayList<>(collect(log(exchange), since, wanted, limit, backward));
    exchange.sendLong(200, new SecondBody(backward ? found.reversed() : found));
  }

  private SandboxLog log(Exchange exchange) {
    return logs.of(envd.named(exchange).id());
  }

  private static int limit(Query query) {
    return (int) query.number("limit", MOST, 1, MOST);
  }

  private static Optional<Instant> time(Query query, String name) {
    return query.find(name).isEmpty()
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(query.number(name, 0, 0, LAST_MILLISECOND)));
  }

  private static int level(String name) {
    int index = LEVELS.indexOf(name.toLowerCase(Locale.ROOT));
    if (index < 0) {
      throw new IllegalArgumentException("level must be debug, info, warn or error");
    }
    return index;
  }

  /**
   * @param last whether the last ones are wanted, not the first
   */
  private static Collection<Entry> collect(
      SandboxLog log, Optional<Instant> since, Predicate<Entry> wanted, int limit, boolean last)
      throws IOException {
    LogReader reader =
        LogReader.fromOldest(log, new LogFilter(Optional.empty(), Optional.empty(), since));
    Deque<Entry> found = new ArrayDeque<>();
    for (LogPage page = reader.next(MOST); ; page = reader.next(MOST)) {
      for (LogLine line : page.items()) {
        Entry entry = Entry.of(line);
        if (!wanted.test(entry)) {
          continue;
        }
        if (found.size() == limit) {
          if (!last) {
            return found;
          }
          found.removeFirst();
        }
        found.addLast(entry);
      }
      if (!page.more()) {
        return found;
      }
    }
  }
}
