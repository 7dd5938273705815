package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows or changes when checkpoints of a sandbox come and go by themselves. */
final class CheckpointRules implements Callable<Integer> {
  private final Session session;
  private final Checkpoint above;
  private final RuleFlags flags = new RuleFlags("--");
  private String box = "";
  private boolean json;

  private CheckpointRules(Session session, Checkpoint above) {
    this.session = session;
    this.above = above;
  }

  static CommandSpec describe(Session session, Checkpoint above) {
    var rules = new CheckpointRules(session, above);
    return Description.of(
            rules, "Say when checkpoints of a sandbox come and go by themselves, and show it.")
        .with(rules.flags::describe)
        .flag("--json", "Print the rules as JSON.", () -> rules.json = true)
        .parameter("BOX", "The sandbox's id or name.", v -> rules.box = v)
        .examples(
            "cove checkpoint rules box --before-exec on --keep 50",
            "cove checkpoint rules box --every 10 --max-age 48",
            "cove checkpoint rules box --from-inside on")
        .note("None is taken by itself while nothing can have changed since the last one.")
        .build();
  }

  @Override
  public Integer call() {
    above.requireNothingBeforeVerb();
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      dev.cove.sdk.CheckpointRules rules = sandbox.checkpointRules();
      if (flags.change().isPresent()) {
        rules = sandbox.setCheckpointRules(flags.change().get().apply(rules));
      }
      print(rules);
    }
    return ExitCode.OK;
  }

  private void print(dev.cove.sdk.CheckpointRules rules) {
    if (json) {
      session.println(rules.toJson());
      return;
    }
    session.println("before each command  " + text(rules.beforeExec()));
    session.println("every so often       " + text(rules.everyMinutes(), "minutes"));
    session.println("from inside          " + text(rules.fromInside()));
    session.println("kept                 the newest " + rules.keepAutomatic());
    session.println("until they are       " + text(rules.maxAgeHours(), "hours old"));
  }

  private static String text(boolean value) {
    return value ? "on" : RuleFlags.OFF;
  }

  private static String text(OptionalInt value, String unit) {
    return value.isPresent() ? value.getAsInt() + " " + unit : RuleFlags.OFF;
  }
}
