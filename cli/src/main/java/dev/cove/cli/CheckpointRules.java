package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Shows or changes when checkpoints of a sandbox come and go by themselves. */
final class CheckpointRules implements Callable<Integer> {
  private static final String OFF = "off";

  private final Session session;
  private final Checkpoint above;
  private String box = "";
  private boolean json;
  private boolean changes;
  private UnaryOperator<dev.cove.sdk.CheckpointRules> change = rules -> rules;

  private CheckpointRules(Session session, Checkpoint above) {
    this.session = session;
    this.above = above;
  }

  static CommandSpec describe(Session session, Checkpoint above) {
    var rules = new CheckpointRules(session, above);
    return Description.of(
            rules, "Say when checkpoints of a sandbox come and go by themselves, and show it.")
        .value(
            "--before-exec",
            "on|off",
            "Take one before each command, which is not started if that fails.",
            CheckpointRules::onOrOff,
            Toggle.class,
            toggle -> rules.also(now -> now.withBeforeExec(toggle == Toggle.ON)))
        .value(
            "--every",
            "MINUTES|off",
            "Take one so often.",
            CheckpointRules::numberOrOff,
            OptionalInt.class,
            minutes -> rules.also(now -> now.withEveryMinutes(minutes)))
        .value(
            "--keep",
            "N",
            "Keep the newest N of those that nobody asked for.",
            Integer::valueOf,
            Integer.class,
            kept -> rules.also(now -> now.withKeepAutomatic(kept)))
        .value(
            "--max-age",
            "HOURS|off",
            "Drop those that nobody asked for when they get older.",
            CheckpointRules::numberOrOff,
            OptionalInt.class,
            hours -> rules.also(now -> now.withMaxAgeHours(hours)))
        .flag("--json", "Print the rules as JSON.", () -> rules.json = true)
        .parameter("BOX", "The sandbox's id or name.", v -> rules.box = v)
        .examples(
            "cove checkpoint rules box --before-exec on --keep 50",
            "cove checkpoint rules box --every 10 --max-age 48")
        .note("None is taken while nothing can have changed since the last one.")
        .build();
  }

  private void also(UnaryOperator<dev.cove.sdk.CheckpointRules> next) {
    UnaryOperator<dev.cove.sdk.CheckpointRules> before = change;
    change = rules -> next.apply(before.apply(rules));
    changes = true;
  }

  /** Picocli takes a boolean for an option that needs no value. */
  private enum Toggle {
    ON,
    OFF
  }

  private static Toggle onOrOff(String text) {
    return switch (text) {
      case "on" -> Toggle.ON;
      case OFF -> Toggle.OFF;
      default -> throw new TypeConversionException("'" + text + "' is neither on nor off");
    };
  }

  private static OptionalInt numberOrOff(String text) {
    try {
      return text.equals(OFF) ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is neither a whole number nor off");
    }
  }

  @Override
  public Integer call() {
    above.requireNothingBeforeVerb();
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      dev.cove.sdk.CheckpointRules rules = sandbox.checkpointRules();
      if (changes) {
        rules = sandbox.setCheckpointRules(change.apply(rules));
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
    session.println("before each command  " + (rules.beforeExec() ? "on" : OFF));
    session.println("every so often       " + text(rules.everyMinutes(), "minutes"));
    session.println("kept                 the newest " + rules.keepAutomatic());
    session.println("until they are       " + text(rules.maxAgeHours(), "hours old"));
  }

  private static String text(OptionalInt value, String unit) {
    return value.isPresent() ? value.getAsInt() + " " + unit : OFF;
  }
}
