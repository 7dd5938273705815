package dev.cove.egress.intake;

import dev.cove.egress.relay.Inflow;
import dev.cove.egress.tls.BadHelloException;
import dev.cove.egress.tls.ClientHello;
import dev.cove.egress.tls.ClientHelloReader;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells from a client's first bytes what it speaks. None of them is taken away. Text is unclear up
 * to its first line's end, since it could become an HTTP request until then.
 */
final class FirstBytes {
  /** What a client speaks. */
  sealed interface Kind {
    record Tls(ClientHello hello) implements Kind {}

    record Http() implements Kind {}

    /** Neither of these; nothing in it names a host. */
    record Other() implements Kind {}

    /** What some server might take for TLS, and this could not be sure about. */
    record Bad(String why) implements Kind {}

    /** Not enough has come to tell. */
    record Unclear() implements Kind {}

    /** Nothing will come. */
    record Ended() implements Kind {}
  }

  private static final int FIRST_RECORD_TYPE = 20;
  private static final int HANDSHAKE = 22;
  private static final int LAST_RECORD_TYPE = 24;

  /** Servers are lenient about what stands between the parts of a request line; so is this. */
  private static final Pattern REQUEST =
      Pattern.compile(
          "\\sHTTP/|^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)\\s+(/|http)",
          Pattern.CASE_INSENSITIVE);

  private static final String BLANK = " \t\r\n\u000b\f";
  private static final String TOKEN_MARKS = "!#$%&'*+.^_`|~-";

  private final Inflow in;
  private final Duration headPatience;
  private final ClientHelloReader hello = new ClientHelloReader();
  private int givenToHello;

  FirstBytes(Inflow in, Duration headPatience) {
    this.in = in;
    this.headPatience = headPatience;
  }

  /**
   * Waits until it is clear, or that long. Once it looks like TLS it waits for all of the first
   * message, for as long as a head may take.
   *
   * @param patience zero for as long as the connection lives
   */
  Kind read(Duration patience) throws IOException {
    long begin = System.nanoTime();
    Kind kind = look();
    while (kind instanceof Kind.Unclear) {
      boolean tls = in.available() > 0 && in.peek(0) == HANDSHAKE;
      Duration longest = tls ? headPatience : patience;
      long left = longest.toMillis() - Duration.ofNanos(System.nanoTime() - begin).toMillis();
      if (!longest.isZero() && left <= 0) {
        return tls ? new Kind.Bad("TLS greeting took too long") : kind;
      }
      try {
        if (!in.fill(longest.isZero() ? Inflow.FOREVER : (int) left)) {
          return atEnd();
        }
      } catch (SocketTimeoutException e) {
        continue;
      }
      kind = look();
    }
    return kind;
  }

  private Kind atEnd() {
    if (in.available() == 0) {
      return new Kind.Ended();
    }
    return in.peek(0) == HANDSHAKE ? new Kind.Bad("TLS greeting cut short") : new Kind.Other();
  }

  private Kind look() {
    if (in.available() == 0) {
      return new Kind.Unclear();
    }
    int first = in.peek(0);
    if (first == HANDSHAKE) {
      return lookAtHello();
    }
    if (first >= FIRST_RECORD_TYPE && first <= LAST_RECORD_TYPE && in.available() > 1) {
      return in.peek(1) == 3 ? new Kind.Bad("TLS without a greeting") : new Kind.Other();
    }
    if (first < 0) {
      return isOldHello() ? new Kind.Bad("SSL 2 greeting") : new Kind.Other();
    }
    return lookAtText();
  }

  private Kind lookAtHello() {
    try {
      byte[] bytes = in.ahead();
      Optional<ClientHello> complete = hello.take(bytes, givenToHello, bytes.length);
      givenToHello = bytes.length;
      boolean full = bytes.length == Inflow.MAX_AHEAD;
      return complete
          .<Kind>map(Kind.Tls::new)
          .orElseGet(() -> full ? new Kind.Bad("TLS greeting too long") : new Kind.Unclear());
    } catch (BadHelloException e) {
      return new Kind.Bad("TLS greeting malformed");
    }
  }

  private boolean isOldHello() {
    return in.available() >= 5
        && in.peek(2) == 1
        && (in.peek(3) == 3 || (in.peek(3) == 0 && in.peek(4) == 2));
  }

  private Kind lookAtText() {
    int begin = 0;
    while (begin < in.available() && BLANK.indexOf(in.peek(begin)) >= 0) {
      begin++;
    }
    if (begin < in.available() && !isToken(in.peek(begin))) {
      return new Kind.Other();
    }
    for (int at = begin; at < in.available(); at++) {
      byte next = in.peek(at);
      if (next == '\n') {
        return lookAtLine(begin, at);
      }
      if (next >= 0 && next < ' ' && BLANK.indexOf(next) < 0) {
        return new Kind.Other();
      }
    }
    return in.available() == Inflow.MAX_AHEAD
        ? new Kind.Bad("first line too long")
        : new Kind.Unclear();
  }

  private Kind lookAtLine(int begin, int end) {
    String line = new String(in.ahead(), begin, end - begin, StandardCharsets.ISO_8859_1);
    return REQUEST.matcher(line).find() ? new Kind.Http() : new Kind.Other();
  }

  private static boolean isToken(byte character) {
    return (character >= '0' && character <= '9')
        || (character >= 'A' && character <= 'Z')
        || (character >= 'a' && character <= 'z')
        || TOKEN_MARKS.indexOf(character) >= 0;
  }
}
