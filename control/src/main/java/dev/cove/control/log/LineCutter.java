package dev.cove.control.log;

import dev.cove.control.log.LogLine.Piece;
import dev.cove.control.log.LogLine.Stream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes lines of the bytes of one stream, whatever they are. */
public final class LineCutter {
  private final String service;
  private final Stream stream;
  private final long process;
  private final byte[] line = new byte[LogLine.LONGEST];
  private int length;

  /** How many bytes are in pieces that were given out. */
  private long end;

  /**
   * @param from how many bytes of the stream came before the first
   */
  public LineCutter(String service, Stream stream, long process, long from) {
    this.service = service;
    this.stream = stream;
    this.process = process;
    this.end = from;
  }

  /** The lines that are whole with these bytes. */
  public List<Piece> take(byte[] bytes, int from, int to) {
    var pieces = new ArrayList<Piece>();
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n') {
        pieces.add(piece(length, 1, false));
      } else {
        if (length == line.length) {
          pieces.add(piece(characterStart(), 0, true));
        }
        line[length++] = bytes[i];
      }
    }
    return pieces;
  }

  /** What is left when nothing more comes. */
  public List<Piece> rest() {
    return length == 0 ? List.of() : List.of(piece(length, 0, false));
  }

  /** Where the last character begins, if it may not be whole; nothing is cut within one. */
  private int characterStart() {
    int at = length - 1;
    while (at > length - 4 && (line[at] & 0xC0) == 0x80) {
      at--;
    }
    return (line[at] & 0x80) == 0 ? length : at;
  }

  private Piece piece(int upTo, int lineEnd, boolean cut) {
    int shown = !cut && upTo > 0 && line[upTo - 1] == '\r' ? upTo - 1 : upTo;
    String text = new String(line, 0, shown, StandardCharsets.UTF_8);
    System.arraycopy(line, upTo, line, 0, length - upTo);
    length -= upTo;
    end += upTo + lineEnd;
    return new Piece(service, stream, process, end, cut, text);
  }
}
