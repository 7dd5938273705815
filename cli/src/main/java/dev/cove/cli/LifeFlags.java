package dev.cove.cli;

import dev.cove.sdk.LifeChange;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import picocli.CommandLine.TypeConversionException;

/** What is said about how long a sandbox runs, rests and lives. */
final class LifeFlags {
  private static final String OFF = "off";
  private static final String DEFAULT = "default";
  private static final CommandFlags.Time TIME =
      new CommandFlags.Time(Duration.ofDays(3_650), "3650d");

  private LifeChange change = LifeChange.none();

  /** A time, {@code off} for never, or nothing for what is usual. */
  record Limit(Optional<Duration> time) {
    static Limit parse(String text) {
      return switch (text) {
        case OFF -> new Limit(Optional.of(Duration.ZERO));
        case DEFAULT -> new Limit(Optional.empty());
        default -> new Limit(Optional.of(whole(TIME.convert(text))));
      };
    }

    private static Duration whole(Duration time) {
      if (time.toMillisPart() != 0) {
        throw new TypeConversionException("a time of whole seconds is wanted, such as 30s");
      }
      return time;
    }
  }

  void describe(Description verb) {
    limit(
        verb,
        "--idle",
        "Pause it when for so long no command with somebody attached runs, nothing passes over its"
            + " ports and its network, and its processes use next to no cpu.",
        LifeChange::idle,
        LifeChange::usualIdle);
    limit(
        verb,
        "--paused-for",
        "Stop it when it has been paused for so long; files are kept.",
        LifeChange::pausedFor,
        LifeChange::usualPausedFor);
    verb.flag("--keep-alive", "Never pause it by itself.", () -> change = change.keepAlive(true));
    limit(
        verb,
        "--max-life",
        "End it after so long, counted from now, whatever happens in it.",
        LifeChange::maxLife,
        LifeChange::usualMaxLife);
    verb.text(
            "--on-end",
            "stop|pause|delete",
            "What becomes of it when its life is over (default stop).",
            what -> change = change.onEnd(what))
        .text(
            "--on-host-restart",
            "stop|start",
            "Whether it is started again after the host went down while it ran (default stop: it"
                + " starts when it is used).",
            what -> change = change.onHostRestart(what));
  }

  private void limit(
      Description verb,
      String flag,
      String help,
      BiFunction<LifeChange, Duration, LifeChange> set,
      UnaryOperator<LifeChange> reset) {
    verb.value(
        flag,
        "TIME|off|default",
        help,
        Limit::parse,
        Limit.class,
        limit ->
            change =
                limit
                    .time()
                    .map(time -> set.apply(change, time))
                    .orElseGet(() -> reset.apply(change)));
  }

  /** Nothing when nothing was said. */
  Optional<LifeChange> change() {
    return Optional.of(change).filter(said -> !said.isEmpty());
  }
}
