package dev.cove.cli.review;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;

/**
 * A key as somebody pressed it: a character, or a name such as {@code up}.
 *
 * @param name of one character for those that have one
 */
public record Key(String name) {
  private static final int ESCAPE = 0x1b;
  private static final int CONTROL_C = 3;
  private static final int MOST_OF_A_SEQUENCE = 16;

  /** How long the rest of a key's sequence may take; a lone escape is taken for one after that. */
  private static final long SEQUENCE_MILLIS = 30;

  private static final Map<String, String> SEQUENCES =
      Map.ofEntries(
          Map.entry("A", "up"),
          Map.entry("B", "down"),
          Map.entry("C", "right"),
          Map.entry("D", "left"),
          Map.entry("H", "home"),
          Map.entry("F", "end"),
          Map.entry("1~", "home"),
          Map.entry("4~", "end"),
          Map.entry("5~", "pageup"),
          Map.entry("6~", "pagedown"));

  /** Waits for one; nothing at the end of the input. */
  public static Optional<Key> read(InputStream in) throws IOException {
    int first = in.read();
    return switch (first) {
      case -1 -> Optional.empty();
      case CONTROL_C -> Optional.of(new Key("interrupt"));
      case '\t' -> Optional.of(new Key("tab"));
      case '\r', '\n' -> Optional.of(new Key("enter"));
      case ' ' -> Optional.of(new Key("pagedown"));
      case ESCAPE -> Optional.of(new Key(sequence(in)));
      default -> Optional.of(new Key(Character.toString(first)));
    };
  }

  private static String sequence(InputStream in) throws IOException {
    if (!comes(in)) {
      return "escape";
    }
    int kind = in.read();
    if (kind != '[' && kind != 'O') {
      return "unknown";
    }
    var rest = new StringBuilder();
    while (rest.length() < MOST_OF_A_SEQUENCE && comes(in)) {
      int next = in.read();
      rest.append((char) next);
      if (next < 0 || (next >= '@' && next <= '~')) {
        break;
      }
    }
    return SEQUENCES.getOrDefault(rest.toString(), "unknown");
  }

  private static boolean comes(InputStream in) throws IOException {
    if (in.available() == 0) {
      try {
        Thread.sleep(SEQUENCE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return in.available() > 0;
  }
}
