package dev.cove.edge.usage;

import dev.cove.control.usage.Grouping;
import dev.cove.control.usage.Prices;
import dev.cove.control.usage.Usage;
import dev.cove.control.usage.UsagePage;
import dev.cove.control.usage.UsageQuery;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Query;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** What was used, by whom and when. */
public final class UsageRoutes {
  private static final int PAGE = 1_000;

  private final Usage usage;
  private final Clock clock;

  public UsageRoutes(Usage usage, Clock clock) {
    this.usage = usage;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/api/v1/usage", this::usage)
            .query("from", "to", "group", "sandbox", "limit", "cursor", "format", "project"));
  }

  private void usage(Exchange exchange) {
    boolean csv = wantsCsv(exchange);
    UsageQuery query = query(exchange.query());
    UsagePage page = usage.page(query);
    List<UsageBody> items =
        page.items().stream().map(item -> UsageBody.of(item, usage.prices())).toList();
    Optional<String> currency = usage.prices().map(Prices::currency);
    if (csv) {
      page.next().ifPresent(next -> exchange.withHeader("Cove-Next-Cursor", next));
      exchange.send(
          200,
          "text/csv; charset=utf-8; header=present",
          UsageCsv.of(items, currency).getBytes(StandardCharsets.UTF_8));
    } else {
      exchange.send(200, new ListBody(query.from(), query.to(), currency, items, page.next()));
    }
  }

  private static boolean wantsCsv(Exchange exchange) {
    return exchange
        .query()
        .find("format")
        .map(format ->
            switch (format) {
              case "csv" -> true;
              case "json" -> false;
              default -> throw refuse("format must be json or csv.");
            })
        .orElseGet(() -> exchange.accepts("text/csv"));
  }

  private UsageQuery query(Query query) {
    Instant now = clock.instant();
    return new UsageQuery(
        query.find("from").map(text -> time("from", text)).orElseGet(() -> monthOf(now)),
        query.find("to").map(text -> time("to", text)).orElse(now.plusSeconds(1)),
        Grouping.of(query.find("group").orElse("sandbox")),
        query.find("sandbox"),
        Optional.empty(),
        (int) query.number("limit", PAGE, 1, UsageQuery.MAX_PAGE),
        query.find("cursor"));
  }

  private static Instant monthOf(Instant now) {
    return now.atOffset(ZoneOffset.UTC)
        .toLocalDate()
        .withDayOfMonth(1)
        .atStartOfDay()
        .toInstant(ZoneOffset.UTC);
  }

  /** A time, or a day for its begin. */
  private static Instant time(String name, String text) {
    try {
      return text.length() == "2026-01-01".length()
          ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
          : Instant.parse(text);
    } catch (DateTimeException e) {
      throw refuse(
          name + " must be a day such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z.");
    }
  }

  private static CoveException refuse(String why) {
    return new CoveException(ErrorCode.INVALID_REQUEST, why);
  }

  record ListBody(
      Instant from,
      Instant to,
      Optional<String> currency,
      List<UsageBody> items,
      Optional<String> nextCursor) {}
}
