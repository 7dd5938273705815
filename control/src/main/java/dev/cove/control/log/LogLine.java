package dev.cove.control.log;

import dev.cove.control.ledger.Micros;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A line as it is kept.
 *
 * @param id counts from 1 in each sandbox's log
 * @param piece what was said
 */
public record LogLine(long id, Instant time, Piece piece) {
  /** So long is a line at most; a longer one becomes several. */
  public static final int LONGEST = 16 * 1024;

  private static final int FIELDS = 6;
  private static final byte SPACE = ' ';

  /** Who said it. */
  public enum Stream {
    STDOUT('o'),
    STDERR('e'),
    /** What the server has to say about the service. */
    COVE('c');

    private final char letter;

    Stream(char letter) {
      this.letter = letter;
    }

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Stream> find(String name) {
      return Arrays.stream(values()).filter(s -> s.publicName().equals(name)).findFirst();
    }

    private static Optional<Stream> of(char letter) {
      return Arrays.stream(values()).filter(stream -> stream.letter == letter).findFirst();
    }
  }

  /**
   * A line or a part of one, before it is kept.
   *
   * @param process the agent's number for the process
   * @param end how many bytes its stream had brought when this was said; where a reader that comes
   *     back goes on
   * @param cut the line goes on in the next piece
   */
  public record Piece(
      String service, Stream stream, long process, long end, boolean cut, String text) {
    /** Something that the server says. */
    public static Piece note(String service, String text) {
      return new Piece(service, Stream.COVE, 0, 0, false, text);
    }
  }

  /** One line of a file: numbers and words, then the text as it is, which has no line end. */
  byte[] encode() {
    var text = new StringBuilder(piece.text().length() + 80);
    text.append(id).append(' ').append(Micros.of(time)).append(' ');
    text.append(piece.process()).append(' ').append(piece.end()).append(' ');
    text.append(piece.stream().letter).append(piece.cut() ? '+' : '.').append(' ');
    text.append(piece.service()).append(' ').append(piece.text().replace('\n', ' ')).append('\n');
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The line of a file without its end; empty for what a crash of the host has left there. */
  static Optional<LogLine> decode(byte[] bytes, int from, int to) {
    var fields = new String[FIELDS];
    int at = from;
    for (int i = 0; i < FIELDS; i++) {
      int end = at;
      while (end < to && bytes[end] != SPACE) {
        end++;
      }
      if (end == to) {
        return Optional.empty();
      }
      fields[i] = new String(bytes, at, end - at, StandardCharsets.UTF_8);
      at = end + 1;
    }
    String text = new String(bytes, at, to - at, StandardCharsets.UTF_8);
    return decode(fields, text);
  }

  private static Optional<LogLine> decode(String[] fields, String text) {
    if (fields[4].length() != 2) {
      return Optional.empty();
    }
    try {
      long id = Long.parseLong(fields[0]);
      Instant time = Micros.toInstant(Long.parseLong(fields[1]));
      long process = Long.parseLong(fields[2]);
      long end = Long.parseLong(fields[3]);
      boolean cut = fields[4].charAt(1) == '+';
      return Stream.of(fields[4].charAt(0))
          .map(stream ->
              new LogLine(id, time, new Piece(fields[5], stream, process, end, cut, text)));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }
}
