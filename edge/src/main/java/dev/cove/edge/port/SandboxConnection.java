package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import dev.cove.guest.TcpStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 spoken to a server inside, one request after another. It is strict: whatever could be
 * read in two ways is refused, and nothing that comes is kept beyond a bound.
 */
final class SandboxConnection implements AutoCloseable {
  static final int MAX_HEAD = 64 * 1024;
  static final int MAX_FIELDS = 200;

  /** Answers that only say that there will be one. */
  private static final int MAX_INTERIM = 16;

  private static final int BUFFER = 16 * 1024;
  private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,15}");

  private final TcpStream stream;
  private final byte[] buffer = new byte[BUFFER];
  private int position;
  private int limit;
  private ReplyHead.Framing framing = new ReplyHead.Framing.None();
  private long left;
  private boolean bodyEnded = true;
  private boolean betweenChunks;
  private boolean reusable;
  private List<HeaderField> trailers = List.of();

  SandboxConnection(TcpStream stream) {
    this.stream = stream;
  }

  OutputStream output() {
    return stream.output();
  }

  /**
   * Begins a request. Its answer is owed from now until it is here; of one whose end nobody knows,
   * its head.
   */
  void ask(byte[] first) throws IOException {
    stream.owesAnswer(true);
    stream.output().write(first);
  }

  /** Waits until the server says something; false when it has hung up instead. */
  boolean awaitReply() throws IOException {
    return position < limit || fill();
  }

  /**
   * @param upgrading 101 is an answer too
   */
  ReplyHead readHead(boolean toHead, boolean upgrading) throws IOException {
    for (int interim = 0; interim <= MAX_INTERIM; interim++) {
      ReplyHead head = readOneHead();
      if (head.status() == 101) {
        if (!upgrading) {
          throw new BadReplyException("it changes the protocol without being asked");
        }
        stream.owesAnswer(false);
        return head;
      }
      if (head.status() >= 200) {
        framing = head.framing(toHead);
        left = framing instanceof ReplyHead.Framing.Length(long bytes) ? bytes : 0;
        bodyEnded =
            framing instanceof ReplyHead.Framing.None
                || (framing instanceof ReplyHead.Framing.Length && left == 0);
        reusable = head.keepsConnection() && !(framing instanceof ReplyHead.Framing.UntilClose);
        trailers = List.of();
        stream.owesAnswer(!bodyEnded && framing instanceof ReplyHead.Framing.Length);
        return head;
      }
    }
    throw new BadReplyException("it only ever says that an answer will come");
  }

  private ReplyHead readOneHead() throws IOException {
    var budget = new Budget();
    String status = readLine(budget);
    if (!isStatusLine(status)) {
      throw new BadReplyException("it does not begin with a status line");
    }
    List<HeaderField> fields = readFields(budget);
    int code = Integer.parseInt(status.substring(9, 12));
    return new ReplyHead(status.charAt(7) == '1', code, fields);
  }

  /** HTTP/1.1 200, or 1.0, and perhaps a phrase. */
  private static boolean isStatusLine(String line) {
    return line.startsWith("HTTP/1.")
        && line.length() >= 12
        && (line.charAt(7) == '0' || line.charAt(7) == '1')
        && line.charAt(8) == ' '
        && isBetween('1', line.charAt(9), '5')
        && isBetween('0', line.charAt(10), '9')
        && isBetween('0', line.charAt(11), '9')
        && (line.length() == 12 || (line.charAt(12) == ' ' && Token.isValue(line)));
  }

  private static boolean isBetween(char first, char c, char last) {
    return first <= c && c <= last;
  }

  private List<HeaderField> readFields(Budget budget) throws IOException {
    var fields = new ArrayList<HeaderField>();
    for (String line = readLine(budget); !line.isEmpty(); line = readLine(budget)) {
      int colon = line.indexOf(':');
      String name = colon < 0 ? "" : line.substring(0, colon);
      String value = line.substring(colon + 1).strip();
      if (!Token.isName(name) || !Token.isValue(value)) {
        throw new BadReplyException("a line of its head is not a header");
      }
      if (fields.size() == MAX_FIELDS) {
        throw new BadReplyException("it has more than " + MAX_FIELDS + " headers");
      }
      fields.add(new HeaderField(name, value));
    }
    return fields;
  }

  /** How much more of a head may come. */
  private static final class Budget {
    private int bytes = MAX_HEAD;
  }

  private String readLine(Budget budget) throws IOException {
    int from = position;
    while (true) {
      for (int i = from; i < limit; i++) {
        if (buffer[i] == '\n') {
          return takeLine(i, budget);
        }
      }
      int waiting = limit - position;
      if (waiting == BUFFER || waiting > budget.bytes) {
        throw new BadReplyException("a line of its head is too long");
      }
      System.arraycopy(buffer, position, buffer, 0, waiting);
      position = 0;
      limit = waiting;
      from = waiting;
      if (!fillMore()) {
        throw new EOFException("it ended in the middle of an answer");
      }
    }
  }

  private String takeLine(int end, Budget budget) throws BadReplyException {
    budget.bytes -= end + 1 - position;
    if (budget.bytes < 0) {
      throw new BadReplyException("its head is longer than " + MAX_HEAD + " bytes");
    }
    if (end == position || buffer[end - 1] != '\r') {
      throw new BadReplyException("a line of its head does not end with CR and LF");
    }
    String line = new String(buffer, position, end - 1 - position, StandardCharsets.ISO_8859_1);
    position = end + 1;
    return line;
  }

  boolean hasBodyEnded() {
    return bodyEnded;
  }

  /**
   * The next bytes of the body, or null at its end. They are good until the next call.
   *
   * @throws IOException the server broke off
   */
  @Nullable ByteBuffer nextPiece() throws IOException {
    if (bodyEnded) {
      return null;
    }
    if (framing instanceof ReplyHead.Framing.Chunked && left == 0 && !beginChunk()) {
      bodyEnded = true;
      return null;
    }
    if (position == limit && !fill()) {
      if (framing instanceof ReplyHead.Framing.UntilClose) {
        bodyEnded = true;
        return null;
      }
      throw new EOFException("The server in the sandbox ended in the middle of an answer");
    }
    int count = limit - position;
    if (!(framing instanceof ReplyHead.Framing.UntilClose)) {
      count = (int) Math.min(count, left);
      left -= count;
    }
    ByteBuffer piece = ByteBuffer.wrap(buffer, position, count);
    position += count;
    if (framing instanceof ReplyHead.Framing.Length) {
      bodyEnded = left == 0;
      stream.owesAnswer(!bodyEnded);
    }
    return piece;
  }

  /** False at the last chunk, whose trailers are then read. */
  private boolean beginChunk() throws IOException {
    var budget = new Budget();
    if (betweenChunks && !readLine(budget).isEmpty()) {
      throw new BadReplyException("a chunk is longer than it said");
    }
    betweenChunks = true;
    String line = readLine(budget);
    int end = line.indexOf(';');
    String digits = (end < 0 ? line : line.substring(0, end)).strip();
    if (!CHUNK_SIZE.matcher(digits).matches()) {
      throw new BadReplyException("a chunk has no size");
    }
    left = Long.parseLong(digits, 16);
    if (left > 0) {
      return true;
    }
    betweenChunks = false;
    trailers = readFields(budget);
    return false;
  }

  /** Known when the body has ended. */
  List<HeaderField> trailers() {
    return trailers;
  }

  /** Whether another request may follow, as far as the answer says: it was read to its end. */
  boolean isWhole() {
    return reusable && bodyEnded && position == limit;
  }

  /** Whether one may follow now: nothing came that nobody asked for, and nobody hung up. */
  boolean isReusable() {
    return isWhole() && stream.isIdle();
  }

  /** Bytes that came behind a 101. */
  byte[] early() {
    byte[] early = Arrays.copyOfRange(buffer, position, limit);
    position = limit;
    return early;
  }

  TcpStream stream() {
    return stream;
  }

  private boolean fill() throws IOException {
    position = 0;
    limit = 0;
    return fillMore();
  }

  private boolean fillMore() throws IOException {
    int read = stream.input().read(buffer, limit, BUFFER - limit);
    limit += Math.max(0, read);
    return read > 0;
  }

  @Override
  public void close() {
    stream.close();
  }
}
