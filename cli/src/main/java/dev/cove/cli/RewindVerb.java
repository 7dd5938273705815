package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Puts a sandbox back to before one of its commands. */
final class RewindVerb implements Callable<Integer> {
  private final Session session;
  private String box = "";
  private int number;

  private RewindVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var rewind = new RewindVerb(session);
    return Description.of(
            rewind, "Put a sandbox back to before a command, with all that its shell did since.")
        .parameter("BOX", "The sandbox's id or name.", box -> rewind.box = box)
        .parameter(
            "N",
            "The command's number, as 'cove log' shows it.",
            Integer::valueOf,
            Integer.class,
            number -> rewind.number = number)
        .examples("cove log box", "cove rewind box 3")
        .note("The state before is kept as a checkpoint, so that this can be taken back.")
        .build();
  }

  @Override
  public Integer call() {
    if (number < 1) {
      throw new Misuse("Commands are counted from 1");
    }
    try (Cove cove = session.connect()) {
      String checkpoint = cove.sandboxes().require(box).rewind(number);
      session.note(
          "cove: Back to before command %d. 'cove restore %s %s' takes that back."
              .formatted(number, Escapes.visible(box), checkpoint));
    }
    return ExitCode.OK;
  }
}
