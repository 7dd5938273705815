package dev.cove.cli;

import dev.cove.sdk.SandboxInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Takes back deletions of sandboxes that are kept for a while. */
final class Undelete implements Callable<Integer> {
  private final Session session;
  private List<String> boxes = List.of();

  private Undelete(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var undelete = new Undelete(session);
    return Description.of(
            undelete, "Take back the deletion of sandboxes that were kept; they are stopped then.")
        .parameters("1..*", "BOX", "Ids, or the names that they had.", b -> undelete.boxes = b)
        .examples("cove ls --deleted", "cove undelete box")
        .note("Where somebody else has the name by now, its id is its name.")
        .build();
  }

  @Override
  public Integer call() {
    return new OneByOne(session)
        .of(
            boxes,
            (cove, box) -> {
              SandboxInfo now = cove.sandboxes().undelete(box).info();
              session.println(now.id());
              if (now.name().equals(now.id()) && !box.equals(now.id())) {
                session.note(
                    "The name %s is taken by another; it is called %s now."
                        .formatted(box, now.id()));
              }
            });
  }
}
