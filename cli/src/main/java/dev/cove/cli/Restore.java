package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Restore implements Callable<Integer> {
  private final Session session;

  private String box = "";

  private String checkpoint = "";

  private Restore(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var restore = new Restore(session);
    return Description.of(
            restore, "Put a checkpoint's state in the place of what a sandbox has now.")
        .parameter("BOX", "The sandbox's id or name.", box -> restore.box = box)
        .parameter("CHECKPOINT", "As 'cove checkpoint ls' shows it.", id -> restore.checkpoint = id)
        .examples("cove restore box c0123456789abcdefghi")
        .note("The state before becomes a checkpoint too; its id is printed to stderr.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      String undo = cove.sandboxes().require(box).restore(checkpoint);
      session.note(
          "The state before is checkpoint %s; 'cove restore %s %s' brings it back."
              .formatted(undo, box, undo));
    }
    return ExitCode.OK;
  }
}
