package dev.cove.edge.e2b.secret;

import dev.cove.control.project.Scope;
import dev.cove.model.secret.SecretName;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names of secrets as E2B's users choose them, such as {@code openai-api-key}, and what they are in
 * our vault, whose names are those of variables. Each has one counterpart, so both can be listed.
 */
final class SecretNames {
  private static final Pattern THEIRS = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,59}");
  private static final Pattern PLAIN = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
  private static final String PLAIN_PREFIX = "E2B_";
  private static final String ANY_PREFIX = "E2BX_";

  private SecretNames() {}

  static SecretName ours(String theirs) {
    if (!THEIRS.matcher(theirs).matches()) {
      // What is no name is not repeated: it may be a value, given in the wrong place.
      throw new IllegalArgumentException(
          "A secret's name is at most 60 letters, digits and characters of ._-, a letter or digit"
              + " first");
    }
    return new SecretName(Scope.here(), text(theirs));
  }

  private static String text(String theirs) {
    if (PLAIN.matcher(theirs).matches()) {
      return PLAIN_PREFIX + theirs.toUpperCase(Locale.ROOT).replace('-', '_');
    }
    if (SecretName.isValid(theirs) && !isMarked(theirs)) {
      return theirs;
    }
    byte[] bytes = theirs.getBytes(StandardCharsets.US_ASCII);
    return ANY_PREFIX + HexFormat.of().withUpperCase().formatHex(bytes);
  }

  private static boolean isMarked(String ours) {
    return ours.startsWith(PLAIN_PREFIX) || ours.startsWith(ANY_PREFIX);
  }

  /** One that was set natively has the same name here. */
  static String theirs(SecretName name) {
    String ours = name.value();
    if (ours.startsWith(PLAIN_PREFIX)) {
      String plain =
          ours.substring(PLAIN_PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '-');
      return PLAIN.matcher(plain).matches() ? plain : ours;
    }
    String hex = ours.startsWith(ANY_PREFIX) ? ours.substring(ANY_PREFIX.length()) : "";
    boolean packed = !hex.isEmpty() && hex.length() % 2 == 0 && hex.matches("[0-9A-F]*");
    return packed ? new String(HexFormat.of().parseHex(hex), StandardCharsets.US_ASCII) : ours;
  }
}
