package dev.cove.control.ledger;

import dev.cove.model.life.LifeRules;
import dev.cove.model.life.OnEnd;
import dev.cove.model.life.OnHostRestart;
import java.time.Duration;
import java.util.Optional;

/** Rules about lives as one text, for rows and files that carry them: a line for each rule. */
public final class LifeText {
  private static final String IDLE = "idle";
  private static final String PAUSED_FOR = "paused-for";
  private static final String KEEP_ALIVE = "keep-alive";
  private static final String MAX_LIFE = "max-life";
  private static final String ON_END = "on-end";
  private static final String ON_HOST_RESTART = "on-host-restart";

  private LifeText() {}

  /** Nothing for rules that say nothing. */
  public static String encode(LifeRules rules) {
    var text = new StringBuilder();
    line(text, IDLE, rules.idle().map(Duration::toSeconds));
    line(text, PAUSED_FOR, rules.pausedFor().map(Duration::toSeconds));
    line(text, KEEP_ALIVE, rules.keepAlive());
    line(text, MAX_LIFE, rules.maxLife().map(Duration::toSeconds));
    line(text, ON_END, rules.onEnd().map(OnEnd::publicName));
    line(text, ON_HOST_RESTART, rules.onHostRestart().map(OnHostRestart::publicName));
    return text.toString();
  }

  private static void line(StringBuilder text, String word, Optional<?> value) {
    value.ifPresent(one -> text.append(word).append(' ').append(one).append('\n'));
  }

  /**
   * @throws IllegalArgumentException for what {@link #encode} does not write
   */
  public static LifeRules decode(String text) {
    LifeRules rules = LifeRules.SILENT;
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", 2);
      rules = with(rules, words[0], words.length == 2 ? words[1] : "");
    }
    return rules;
  }

  private static LifeRules with(LifeRules rules, String word, String value) {
    return switch (word) {
      case IDLE -> rules.withIdle(Optional.of(seconds(value)));
      case PAUSED_FOR -> rules.withPausedFor(Optional.of(seconds(value)));
      case KEEP_ALIVE -> rules.withKeepAlive(Optional.of(value.equals("true")));
      case MAX_LIFE -> rules.withMaxLife(Optional.of(seconds(value)));
      case ON_END -> rules.withOnEnd(Optional.of(known(OnEnd.find(value))));
      case ON_HOST_RESTART ->
          rules.withOnHostRestart(Optional.of(known(OnHostRestart.find(value))));
      default -> throw unreadable();
    };
  }

  private static Duration seconds(String value) {
    if (!value.matches("\\d{1,18}")) {
      throw unreadable();
    }
    return Duration.ofSeconds(Long.parseLong(value));
  }

  private static <T> T known(Optional<T> found) {
    return found.orElseThrow(LifeText::unreadable);
  }

  private static IllegalArgumentException unreadable() {
    return new IllegalArgumentException("its life cannot be read");
  }
}
