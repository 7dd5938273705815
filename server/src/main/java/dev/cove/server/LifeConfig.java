package dev.cove.server;

import dev.cove.model.life.LifeRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the operator says about the lives of sandboxes of which nobody says anything else.
 *
 * @param usual when they are paused and stopped by themselves
 * @param idleCpu the share of one processor below which a sandbox is idle
 * @param keptAfterDeletion how long deleted sandboxes can be undeleted; zero for not at all
 */
record LifeConfig(LifeRules usual, double idleCpu, Duration keptAfterDeletion) {
  private static final Duration IDLE = Duration.ofMinutes(15);
  private static final Duration PAUSED_FOR = Duration.ofDays(7);
  private static final String CPU = "COVE_IDLE_CPU_PERCENT";
  private static final double USUAL_PERCENT = 3;

  static LifeConfig read(Map<String, String> environment, List<String> faults) {
    return new LifeConfig(
        LifeRules.SILENT
            .withIdle(Optional.of(time(environment, "COVE_IDLE_AFTER", IDLE, faults)))
            .withPausedFor(Optional.of(time(environment, "COVE_PAUSED_FOR", PAUSED_FOR, faults))),
        percent(environment, faults) / 100,
        time(environment, "COVE_DELETE_GRACE", Duration.ZERO, faults));
  }

  /** Zero for {@code off}. */
  private static Duration time(
      Map<String, String> environment, String name, Duration usual, List<String> faults) {
    String text = environment.getOrDefault(name, "");
    if (text.isBlank()) {
      return usual;
    }
    if (text.equals("off")) {
      return Duration.ZERO;
    }
    if (text.matches("[1-9][0-9]{0,8}[smhd]")) {
      long number = Long.parseLong(text.substring(0, text.length() - 1));
      Duration time =
          switch (text.charAt(text.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
      if (time.compareTo(LifeRules.LONGEST) <= 0) {
        return time;
      }
    }
    faults.add(
        "%s must be a time such as 90s, 15m, 2h or 7d, at most 3650d, or off".formatted(name));
    return usual;
  }

  private static double percent(Map<String, String> environment, List<String> faults) {
    String text = environment.getOrDefault(CPU, "");
    if (text.isBlank()) {
      return USUAL_PERCENT;
    }
    if (text.matches("[0-9]{1,2}(\\.[0-9]{1,3})?|100")) {
      return Double.parseDouble(text);
    }
    faults.add(CPU + " must be a number between 0 and 100");
    return USUAL_PERCENT;
  }
}
