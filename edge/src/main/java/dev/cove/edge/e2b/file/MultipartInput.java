package dev.cove.edge.e2b.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a form, one after the other, as they come. Nothing of a part's content is kept: it
 * must be read to its end before the next part.
 */
final class MultipartInput {
  private static final Pattern BOUNDARY =
      Pattern.compile(
          ";\\s*boundary=(?:\"([^\"]{1,70})\"|([^\\s;\"]{1,70}))", Pattern.CASE_INSENSITIVE);
  private static final Pattern NAME =
      Pattern.compile(";\\s*name=\"([^\"]*)\"", Pattern.CASE_INSENSITIVE);
  private static final Pattern FILE_NAME =
      Pattern.compile(";\\s*filename=\"([^\"]*)\"", Pattern.CASE_INSENSITIVE);
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_HEADERS = 64;
  private static final int BUFFER = 64 * 1024;

  private final InputStream in;
  private final byte[] delimiter;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private boolean ended;

  MultipartInput(InputStream in, String contentType) {
    Matcher matcher = BOUNDARY.matcher(contentType);
    if (!matcher.find()) {
      throw new IllegalArgumentException("multipart/form-data needs a boundary");
    }
    String boundary = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    this.in = in;
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.UTF_8);
    // As if a part had ended before the first: so its delimiter is found like all others.
    buffer[0] = '\r';
    buffer[1] = '\n';
    to = 2;
  }

  /**
   * A part.
   *
   * @param fileName as it was sent, which may be a whole path
   */
  record Part(String name, Optional<String> fileName, InputStream content) {}

  /** The next part; what is left of the one before is skipped. */
  Optional<Part> next() throws IOException {
    new Content().transferTo(OutputStream.nullOutputStream());
    if (ended) {
      return Optional.empty();
    }
    require(delimiter.length);
    from += delimiter.length;
    String rest = line();
    if (rest.startsWith("--")) {
      ended = true;
      return Optional.empty();
    }
    String disposition = "";
    int headers = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (++headers > MAX_HEADERS) {
        throw malformed("a part has too many headers");
      }
      if (header.regionMatches(true, 0, "content-disposition:", 0, 20)) {
        disposition = header;
      }
    }
    // The end of the last header line is also how the delimiter of an empty part begins.
    from -= 2;
    return Optional.of(
        new Part(
            value(NAME, disposition).orElse(""), value(FILE_NAME, disposition), new Content(2)));
  }

  private static Optional<String> value(Pattern pattern, String disposition) {
    Matcher matcher = pattern.matcher(disposition);
    return matcher.find()
        ? Optional.of(
            matcher.group(1).replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
        : Optional.empty();
  }

  private String line() throws IOException {
    for (int end = from; ; end++) {
      if (end - from > MAX_LINE) {
        throw malformed("a line is too long");
      }
      if (end + 1 >= to) {
        int looked = end - from;
        if (!fill()) {
          throw malformed("it ends within a part's head");
        }
        end = from + looked;
      }
      if (buffer[end] == '\r' && buffer[end + 1] == '\n') {
        String line = new String(buffer, from, end - from, StandardCharsets.UTF_8);
        from = end + 2;
        return line;
      }
    }
  }

  private void require(int bytes) throws IOException {
    while (to - from < bytes) {
      if (!fill()) {
        throw malformed("it ends without its last boundary");
      }
    }
  }

  /** Reads more, behind what is there already. */
  private boolean fill() throws IOException {
    // Two bytes before what is next stay, for the end of a line that is read twice.
    int kept = Math.max(0, from - 2);
    if (kept > 0 && to == buffer.length) {
      System.arraycopy(buffer, kept, buffer, 0, to - kept);
      from -= kept;
      to -= kept;
    }
    int read = in.read(buffer, to, buffer.length - to);
    if (read <= 0) {
      return false;
    }
    to += read;
    return true;
  }

  private static IllegalArgumentException malformed(String why) {
    return new IllegalArgumentException("The body is not a form with parts: " + why);
  }

  /** What comes before the next delimiter. */
  private final class Content extends InputStream {
    private int skip;

    Content() {
      this(0);
    }

    /**
     * @param skip bytes that come first and are not content
     */
    Content(int skip) {
      this.skip = skip;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (ended || length == 0) {
        return ended ? -1 : 0;
      }
      require(delimiter.length);
      int content = contentHere();
      if (skip > 0) {
        // Only the end of a line was left, and the delimiter may begin with it.
        if (content == 0) {
          return -1;
        }
        from += skip;
        skip = 0;
        return read(target, offset, length);
      }
      if (content == 0) {
        return -1;
      }
      int count = Math.min(content, length);
      System.arraycopy(buffer, from, target, offset, count);
      from += count;
      return count;
    }

    /** How many bytes from here on are surely not part of a delimiter. */
    private int contentHere() {
      for (int i = from; i < to; i++) {
        int most = Math.min(delimiter.length, to - i);
        if (buffer[i] == '\r' && Arrays.equals(buffer, i, i + most, delimiter, 0, most)) {
          return i - from;
        }
      }
      return to - from;
    }
  }
}
