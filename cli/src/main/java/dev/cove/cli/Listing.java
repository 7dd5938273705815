package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/** A verb that lists things: a table for people, with --json an array for programs. */
final class Listing<T> implements Callable<Integer> {
  private final Session session;
  private final Function<Cove, List<T>> find;
  private final Function<T, String> toJson;
  private final Function<List<T>, Table> table;

  private final ProjectFlag where = new ProjectFlag();

  private boolean json;

  private Listing(
      Session session,
      Function<Cove, List<T>> find,
      Function<T, String> toJson,
      Function<List<T>, Table> table) {
    this.session = session;
    this.find = find;
    this.toJson = toJson;
    this.table = table;
  }

  /** A verb that has no other words than that flag, and where to act. */
  static <T> CommandSpec describe(
      Session session,
      String about,
      Function<Cove, List<T>> find,
      Function<T, String> toJson,
      Function<List<T>, Table> table) {
    var listing = new Listing<>(session, find, toJson, table);
    return Description.of(listing, about)
        .with(listing.where::describe)
        .flag("--json", "Print a JSON array.", () -> listing.json = true)
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = where.of(session).connect()) {
      print(session, json, find.apply(cove), toJson, table);
    }
    return ExitCode.OK;
  }

  /** What such a verb prints; for those that have more words. */
  static <T> void print(
      Session session,
      boolean json,
      List<T> items,
      Function<T, String> toJson,
      Function<List<T>, Table> table) {
    if (json) {
      session.println(JsonLines.array(items, toJson));
    } else {
      table.apply(items).print(session.printer(), session.colours());
    }
  }
}
