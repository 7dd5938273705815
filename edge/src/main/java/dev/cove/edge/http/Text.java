package dev.cove.edge.http;

/** Caller's text as it may appear in our sentences. */
public final class Text {
  private static final int LONGEST = 80;

  private Text() {}

  /** In quotation marks, cut where it is long, with nothing a terminal or log would obey. */
  public static String quote(String text) {
    var quoted = new StringBuilder("\"");
    text.codePoints()
        .limit(LONGEST)
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c)
        .forEach(quoted::appendCodePoint);
    if (text.length() > LONGEST) {
      quoted.append("...");
    }
    return quoted.append('"').toString();
  }
}
