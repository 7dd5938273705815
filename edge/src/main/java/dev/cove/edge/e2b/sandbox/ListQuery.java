package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Percent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which sandboxes a caller wants to see, in which order, and how many.
 *
 * @param states {@code running}, {@code paused}
 */
record ListQuery(
    Map<String, String> metadata,
    List<String> states,
    boolean newestFirst,
    Optional<Instant> startedAfter,
    Optional<String> template,
    int limit,
    Optional<String> nextToken) {
  private static final int MOST = 100;
  private static final List<String> STATES = List.of("running", "paused");

  static ListQuery of(Exchange exchange) {
    var query = exchange.query();
    boolean newestFirst =
        switch (query.find("order").orElse("desc")) {
          case "desc" -> true;
          case "asc" -> false;
          default -> throw new IllegalArgumentException("order must be asc or desc");
        };
    return new ListQuery(
        metadata(query.find("metadata")),
        states(query.all("state")),
        newestFirst,
        query.find("startedAfter").map(ListQuery::instant),
        query.find("template"),
        (int) query.number("limit", MOST, 1, MOST),
        query.find("nextToken").filter(token -> !token.isEmpty()));
  }

  /** As older clients ask: everything that runs, at once. */
  static ListQuery running(Exchange exchange) {
    return new ListQuery(
        metadata(exchange.query().find("metadata")),
        List.of("running"),
        true,
        Optional.empty(),
        Optional.empty(),
        Integer.MAX_VALUE,
        Optional.empty());
  }

  boolean matches(Sandbox sandbox) {
    String state = Bodies.isRunning(sandbox) ? "running" : "paused";
    return Bodies.isShown(sandbox)
        && states.contains(state)
        && startedAfter.map(after -> !sandbox.createdAt().isBefore(after)).orElse(true)
        && template
            .map(name -> name.equals(TemplateNames.shown(sandbox.spec().template().name())))
            .orElse(true)
        && Metadata.of(sandbox.spec().labels()).entrySet().containsAll(metadata.entrySet());
  }

  /** A list with commas; some clients repeat the parameter instead. */
  private static List<String> states(List<String> given) {
    List<String> states =
        given.stream().flatMap(text -> List.of(text.split(",")).stream()).toList();
    if (states.isEmpty()) {
      return STATES;
    }
    if (!STATES.containsAll(states)) {
      throw new IllegalArgumentException("state must be running, paused or both with a comma");
    }
    return states;
  }

  /**
   * The query's own encoding is off already. Below it are a form's, and below that one of each key
   * and value.
   */
  private static Map<String, String> metadata(Optional<String> text) {
    var wanted = new HashMap<String, String>();
    String form = text.map(once -> Percent.decode("metadata", once)).orElse("");
    for (String pair : form.split("&")) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        String key = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        wanted.put(Percent.decodeForm("metadata", key), Percent.decodeForm("metadata", value));
      }
    }
    return wanted;
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("startedAfter must be a time as in RFC 3339", e);
    }
  }
}
