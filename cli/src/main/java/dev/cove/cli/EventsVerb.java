package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventFeed;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.Events;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Shows what happened on the server. */
final class EventsVerb implements Callable<Integer> {
  private static final int PAGE = 1_000;

  private final Session session;

  private OptionalLong after = OptionalLong.empty();

  private Optional<String> box = Optional.empty();

  private List<String> types = List.of();

  private final ProjectFlag where = new ProjectFlag();

  private boolean follow;

  private boolean json;

  private EventsVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var events = new EventsVerb(session);
    return Description.of(events, "Show what happened on the server; the newest last.")
        .flag("-f --follow", "Go on with what happens, until Ctrl-C.", () -> events.follow = true)
        .value(
            "--after",
            "ID",
            "Only what came after that event. Without it: all, or with --follow what is new.",
            EventsVerb::id,
            Long.class,
            id -> events.after = OptionalLong.of(id))
        .text("--box", "BOX", "Only of that sandbox.", box -> events.box = Optional.of(box))
        .texts(
            "--type",
            "TYPE",
            "Only of that type, such as sandbox.failed or sandbox.*; may be given often.",
            types -> events.types = types)
        .with(events.where::describeList)
        .flag("--json", "Print an object on each line.", () -> events.json = true)
        .examples("cove events", "cove events --follow --type 'sandbox.*' --json")
        .note(
            "The newest 100000 are kept, for 30 days. An event of type events.dropped stands for"
                + " those that are gone.")
        .build();
  }

  static Long id(String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new TypeConversionException("'" + text + "' is not the id of an event");
    }
    return Long.valueOf(text);
  }

  @Override
  public Integer call() {
    var query = new EventQuery(after, box, types);
    try (Cove cove = where.of(session).connect();
        PrintStream out = session.printer()) {
      if (follow) {
        follow(cove.events(), query, out);
      } else {
        list(cove.events(), query, out);
      }
    }
    return ExitCode.OK;
  }

  private void list(Events events, EventQuery query, PrintStream out) {
    Events.Page page = events.list(query, PAGE);
    page.items().forEach(event -> print(event, out));
    while (page.more() && !out.checkError()) {
      page = events.list(query.after(page.next()), PAGE);
      page.items().forEach(event -> print(event, out));
    }
  }

  private void follow(Events events, EventQuery query, PrintStream out) {
    try (EventFeed feed = events.follow(query)) {
      Optional<Event> event = feed.next();
      while (event.isPresent() && !out.checkError()) {
        print(event.get(), out);
        out.flush();
        event = feed.next();
      }
    }
  }

  private void print(Event event, PrintStream out) {
    out.print(
        json
            ? event.toJson() + "\n"
            : "%-8d %-27s %-20s %-12s %s%n"
                .formatted(
                    event.id(),
                    event.time(),
                    event.type(),
                    event.sandbox().orElse("-"),
                    event.data()));
  }
}
