package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Keeps the state of a sandbox; the verbs below list and remove what was kept. */
final class Checkpoint implements Callable<Integer> {
  private final Session session;

  private Optional<String> box = Optional.empty();

  private Optional<String> name = Optional.empty();

  private boolean json;

  private Checkpoint(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var checkpoint = new Checkpoint(session);
    return Description.of(
            checkpoint,
            "Keep the state of a sandbox, which runs on, and print the checkpoint's id.")
        .synopsis("cove checkpoint [--json] [--name=NAME] BOX", "cove checkpoint VERB")
        .text("--name", "NAME", "What to call it.", name -> checkpoint.name = Optional.of(name))
        .flag("--json", "Print the whole checkpoint as JSON.", () -> checkpoint.json = true)
        .optionalParameter(
            "BOX", "The sandbox's id or name.", box -> checkpoint.box = Optional.of(box))
        .verb("ls", Ls.describe(session, checkpoint))
        .verb("rm", Rm.describe(session, checkpoint))
        .verb("rules", CheckpointRules.describe(session, checkpoint))
        .verb("files", CheckpointFiles.describe(session, checkpoint))
        .verb("cat", CheckpointCat.describe(session, checkpoint))
        .verb("diff", CheckpointDiff.describe(session, checkpoint))
        .examples(
            "cove checkpoint --name before-upgrade box",
            "before=$(cove checkpoint box); cove exec box -- ./risky; cove restore box $before",
            "cove checkpoint ls box",
            "cove checkpoint diff $before")
        .note("A sandbox that is called like a verb is reached by its id.")
        .build();
  }

  @Override
  public Integer call() {
    String wanted = box.orElseThrow(() -> new Misuse("Say which sandbox: cove checkpoint BOX"));
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(wanted);
      dev.cove.sdk.Checkpoint made =
          name.isPresent() ? sandbox.checkpoint(name.get()) : sandbox.checkpoint();
      session.println(json ? made.toJson() : made.id());
    }
    return ExitCode.OK;
  }

  /** Words between us and a verb below are taken for ours, and would be lost without a word. */
  void requireNothingBeforeVerb() {
    if (box.isPresent() || name.isPresent() || json) {
      throw new Misuse("Say the verb first, such as 'ls', and after it what it is about");
    }
  }

  private static final class Ls implements Callable<Integer> {
    private final Session session;
    private final Checkpoint above;

    private Optional<String> box = Optional.empty();

    private boolean json;

    private Ls(Session session, Checkpoint above) {
      this.session = session;
      this.above = above;
    }

    private static CommandSpec describe(Session session, Checkpoint above) {
      var ls = new Ls(session, above);
      return Description.of(ls, "List checkpoints, also of sandboxes that are gone.")
          .flag("--json", "Print a JSON array.", () -> ls.json = true)
          .optionalParameter(
              "BOX", "Only those of this sandbox: its id or name.", v -> ls.box = Optional.of(v))
          .build();
    }

    @Override
    public Integer call() {
      above.requireNothingBeforeVerb();
      try (Cove cove = session.connect()) {
        List<dev.cove.sdk.Checkpoint> checkpoints =
            box.isPresent()
                ? cove.sandboxes().require(box.get()).checkpoints()
                : cove.checkpoints().list();
        Listing.print(session, json, checkpoints, dev.cove.sdk.Checkpoint::toJson, Ls::table);
      }
      return ExitCode.OK;
    }

    private static Table table(List<dev.cove.sdk.Checkpoint> checkpoints) {
      var table = new Table("ID", "SANDBOX", "NAME", "REASON", "SIZE", "LAYERS", "AGE");
      Instant now = Instant.now();
      for (dev.cove.sdk.Checkpoint checkpoint : checkpoints) {
        table.row(
            checkpoint.id(),
            checkpoint.sandboxId(),
            checkpoint.name(),
            checkpoint.reason(),
            Human.bytes(checkpoint.bytes()),
            Integer.toString(checkpoint.layers()),
            Human.age(checkpoint.createdAt(), now));
      }
      return table;
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;
    private final Checkpoint above;

    private List<String> ids = List.of();

    private Rm(Session session, Checkpoint above) {
      this.session = session;
      this.above = above;
    }

    private static CommandSpec describe(Session session, Checkpoint above) {
      var rm = new Rm(session, above);
      return Description.of(rm, "Remove checkpoints; sandboxes that came from them stay.")
          .parameters("1..*", "ID", "As 'cove checkpoint ls' shows them.", ids -> rm.ids = ids)
          .build();
    }

    @Override
    public Integer call() {
      above.requireNothingBeforeVerb();
      return new OneByOne(session).of(ids, (cove, id) -> cove.checkpoints().delete(id));
    }
  }
}
