package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Status and fields of an answer from inside. */
record ReplyHead(boolean http11, int status, List<HeaderField> fields) {
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

  /** How the end of the body is known. */
  sealed interface Framing {
    record None() implements Framing {}

    record Length(long bytes) implements Framing {}

    record Chunked() implements Framing {}

    record UntilClose() implements Framing {}
  }

  Framing framing(boolean toHead) throws BadReplyException {
    List<String> lengths = values("Content-Length");
    List<String> codings = values("Transfer-Encoding");
    if (!lengths.isEmpty() && !codings.isEmpty()) {
      throw new BadReplyException("it has both Content-Length and Transfer-Encoding");
    }
    if (lengths.size() > 1
        || (lengths.size() == 1 && !LENGTH.matcher(lengths.getFirst()).matches())) {
      throw new BadReplyException("its Content-Length is not one number");
    }
    if (!codings.isEmpty()
        && (!http11 || codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked"))) {
      throw new BadReplyException("its Transfer-Encoding is not just chunked");
    }
    if (toHead || status == 204 || status == 304) {
      return new Framing.None();
    }
    if (!codings.isEmpty()) {
      return new Framing.Chunked();
    }
    return lengths.isEmpty()
        ? new Framing.UntilClose()
        : new Framing.Length(Long.parseLong(lengths.getFirst()));
  }

  boolean keepsConnection() {
    return http11
        && values("Connection").stream()
            .noneMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
  }

  List<String> values(String name) {
    List<String> values = List.of();
    for (HeaderField field : fields) {
      if (field.is(name)) {
        values = values.isEmpty() ? new ArrayList<>(1) : values;
        values.add(field.value());
      }
    }
    return values;
  }
}
