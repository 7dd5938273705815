package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Tree implements Callable<Integer> {
  private static final String INDENT = "  ";

  private final Session session;

  private boolean json;

  private Tree(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var tree = new Tree(session);
    return Description.of(tree, "Show which sandboxes came from which.")
        .flag(
            "--json",
            "Print a JSON array in the same order; 'depth' counts the ancestors.",
            () -> tree.json = true)
        .examples("cove tree")
        .note("Sandboxes whose parent is gone stand at the left edge.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      List<Descent.Place> places = Descent.of(cove.sandboxes().list());
      if (json) {
        session.println(JsonLines.array(places, Tree::toJson));
      } else {
        table(places, Instant.now()).print(session.printer(), session.colours());
      }
    }
    return ExitCode.OK;
  }

  static Table table(List<Descent.Place> places, Instant now) {
    var table = new Table("ID", "NAME", "STATE", "AGE");
    for (Descent.Place place : places) {
      table.row(
          INDENT.repeat(place.depth()) + place.box().id(),
          place.box().name(),
          Ls.state(place.box()),
          Human.age(place.box().createdAt(), now));
    }
    return table;
  }

  // The SDK's object with the depth put in front.
  static String toJson(Descent.Place place) {
    return "{\"depth\":" + place.depth() + "," + place.box().toJson().substring(1);
  }
}
