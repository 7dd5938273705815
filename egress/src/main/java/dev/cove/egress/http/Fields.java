package dev.cove.egress.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The header fields of a message, read strictly. */
public final class Fields {
  private static final int MAX_FIELDS = 200;
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7E\\x80-\\xFF]*");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** One of them. */
  public record Field(String name, String value) {
    public boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  private final List<Field> fields;

  private Fields(List<Field> fields) {
    this.fields = fields;
  }

  static Fields parse(List<String> lines) throws BadMessageException {
    if (lines.size() > MAX_FIELDS) {
      throw new BadMessageException("Too many header fields");
    }
    var fields = new ArrayList<Field>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon < 0
          || !NAME.matcher(line.substring(0, colon)).matches()
          || !VALUE.matcher(line.substring(colon + 1)).matches()) {
        throw new BadMessageException("A header field that is not one");
      }
      fields.add(new Field(line.substring(0, colon), trimmed(line.substring(colon + 1))));
    }
    return new Fields(fields);
  }

  /** Those that are known to be right. */
  public static Fields of(List<Field> fields) {
    return new Fields(List.copyOf(fields));
  }

  /** A line for each. */
  String text() {
    var text = new StringBuilder();
    fields.forEach(
        field -> text.append(field.name()).append(": ").append(field.value()).append("\r\n"));
    return text.toString();
  }

  /** All but those of these names, which are in small letters. */
  public Fields without(Set<String> names) {
    return of(
        fields.stream()
            .filter(field -> !names.contains(field.name().toLowerCase(Locale.ROOT)))
            .toList());
  }

  public Fields with(String name, String value) {
    var more = new ArrayList<>(fields);
    more.add(new Field(name, value));
    return of(more);
  }

  private static String trimmed(String value) {
    int begin = 0;
    int end = value.length();
    while (begin < end && isBlank(value.charAt(begin))) {
      begin++;
    }
    while (end > begin && isBlank(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(begin, end);
  }

  private static boolean isBlank(char character) {
    return character == ' ' || character == '\t';
  }

  public List<Field> all() {
    return fields;
  }

  public List<String> values(String name) {
    return fields.stream().filter(field -> field.is(name)).map(Field::value).toList();
  }

  /** The words of a field that is a list with commas, in small letters. */
  public List<String> words(String name) {
    return values(name).stream()
        .flatMap(value -> Arrays.stream(value.split(",")))
        .map(word -> word.strip().toLowerCase(Locale.ROOT))
        .toList();
  }

  /**
   * What they say of the body's end: nothing, or one thing once. Whatever two programs could take
   * for two ends is refused.
   */
  Optional<Framing> framing() throws BadMessageException {
    List<String> lengths = values("Content-Length");
    List<String> codings = values("Transfer-Encoding");
    if (lengths.size() + codings.size() > 1) {
      throw new BadMessageException("More than one length of the body");
    }
    if (!codings.isEmpty() && !codings.getFirst().equalsIgnoreCase("chunked")) {
      throw new BadMessageException("A transfer coding other than chunked");
    }
    if (!lengths.isEmpty() && !NUMBER.matcher(lengths.getFirst()).matches()) {
      throw new BadMessageException("A length of the body that is no number");
    }
    if (!lengths.isEmpty()) {
      return Optional.of(new Framing.Length(Long.parseLong(lengths.getFirst())));
    }
    return codings.isEmpty() ? Optional.empty() : Optional.of(new Framing.Chunked());
  }
}
