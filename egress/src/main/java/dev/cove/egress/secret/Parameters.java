package dev.cove.egress.secret;

/** {@code a=1&b=2}, behind a question mark or as a form. */
final class Parameters {
  private Parameters() {}

  /** With the value at each parameter of that name that is just the placeholder. */
  static String swapped(String text, String name, String placeholder, String value) {
    String[] pairs = text.split("&", -1);
    for (int i = 0; i < pairs.length; i++) {
      if (pairs[i].equals(name + "=" + placeholder)) {
        pairs[i] = name + "=" + Spelling.inQuery(value);
      }
    }
    return String.join("&", pairs);
  }

  static boolean has(String text, String name) {
    for (String pair : text.split("&", -1)) {
      if (pair.equals(name) || pair.startsWith(name + "=")) {
        return true;
      }
    }
    return false;
  }
}
