package dev.cove.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Rm implements Callable<Integer> {
  private final Session session;

  private boolean force;

  private List<String> boxes = List.of();

  private Rm(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var rm = new Rm(session);
    return Description.of(rm, "Remove sandboxes and all that is in them.")
        .flag("-f --force", "Say nothing of sandboxes that are not there.", () -> rm.force = true)
        .parameters("1..*", "BOX", "Ids or names.", boxes -> rm.boxes = boxes)
        .examples("cove rm box other-box")
        .build();
  }

  @Override
  public Integer call() {
    OneByOne removal = new OneByOne(session);
    return (force ? removal.orAbsent() : removal)
        .of(boxes, (cove, box) -> cove.sandboxes().delete(box));
  }
}
