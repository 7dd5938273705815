package dev.cove.cli;

import dev.cove.sdk.CheckpointRules;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import picocli.CommandLine.TypeConversionException;

/** What is said about when checkpoints come and go, under names that a verb may begin otherwise. */
final class RuleFlags {
  static final String OFF = "off";

  private final String prefix;
  private Optional<UnaryOperator<CheckpointRules>> change = Optional.empty();

  /**
   * @param prefix what the flags begin with
   */
  RuleFlags(String prefix) {
    this.prefix = prefix;
  }

  void describe(Description verb) {
    verb.value(
            prefix + "before-exec",
            "on|off",
            "Take a checkpoint before each command, which is not started if that fails.",
            RuleFlags::onOrOff,
            Toggle.class,
            toggle -> also(now -> now.withBeforeExec(toggle == Toggle.ON)))
        .value(
            prefix + "every",
            "MINUTES|off",
            "Take a checkpoint so often.",
            RuleFlags::numberOrOff,
            OptionalInt.class,
            minutes -> also(now -> now.withEveryMinutes(minutes)))
        .value(
            prefix + "from-inside",
            "on|off",
            "Let programs inside ask for checkpoints, with the command cove-checkpoint.",
            RuleFlags::onOrOff,
            Toggle.class,
            toggle -> also(now -> now.withFromInside(toggle == Toggle.ON)))
        .value(
            prefix + "keep",
            "N",
            "Keep the newest N checkpoints that nobody asked for, and N that were asked for inside.",
            Integer::valueOf,
            Integer.class,
            kept -> also(now -> now.withKeepAutomatic(kept)))
        .value(
            prefix + "max-age",
            "HOURS|off",
            "Drop such checkpoints when they get older.",
            RuleFlags::numberOrOff,
            OptionalInt.class,
            hours -> also(now -> now.withMaxAgeHours(hours)));
  }

  /** What was said; nothing when nothing was. */
  Optional<UnaryOperator<CheckpointRules>> change() {
    return change;
  }

  private void also(UnaryOperator<CheckpointRules> next) {
    UnaryOperator<CheckpointRules> before = change.orElse(rules -> rules);
    change = Optional.of(rules -> next.apply(before.apply(rules)));
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
}
