package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The head of an answer. */
final class ResponseHead {
  private static final Pattern LINE =
      Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2})( [\\t\\x20-\\x7E\\x80-\\xFF]*)?");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final int minorVersion;
  private final int status;
  private final Fields fields;
  private final String text;

  private ResponseHead(int minorVersion, int status, Fields fields, String text) {
    this.minorVersion = minorVersion;
    this.status = status;
    this.fields = fields;
    this.text = text;
  }

  static ResponseHead read(Inflow in) throws IOException {
    String text =
        HeadReader.read(in, PATIENCE).orElseThrow(() -> new BadMessageException("No answer came"));
    List<String> lines = List.of(text.substring(0, text.length() - 4).split("\r\n", -1));
    Matcher first = LINE.matcher(lines.getFirst());
    if (!first.matches()) {
      throw new BadMessageException("That is not an answer of HTTP/1");
    }
    return new ResponseHead(
        Integer.parseInt(first.group(1)),
        Integer.parseInt(first.group(2)),
        Fields.parse(lines.subList(1, lines.size())),
        text);
  }

  int status() {
    return status;
  }

  Fields fields() {
    return fields;
  }

  /** The same answer with other fields, and its first line changed. */
  ResponseHead with(Fields newFields, UnaryOperator<String> line) {
    String first = line.apply(text.substring(0, text.indexOf("\r\n")));
    return new ResponseHead(
        minorVersion, status, newFields, first + "\r\n" + newFields.text() + "\r\n");
  }

  byte[] bytes() {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether another answer to the same request follows. */
  boolean isInterim() {
    return status < 200 && status != 101;
  }

  boolean upgrades() {
    return status == 101;
  }

  Framing framing(String method) throws BadMessageException {
    if (method.equals("HEAD") || status < 200 || status == 204 || status == 304) {
      return new Framing.Length(0);
    }
    return fields.framing().orElse(new Framing.UntilEnd());
  }

  boolean isLast() {
    List<String> words = fields.words("Connection");
    return words.contains("close") || (minorVersion == 0 && !words.contains("keep-alive"));
  }
}
