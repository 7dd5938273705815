package dev.cove.egress.secret;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** How a value is written where it can not stand as it is. */
final class Spelling {
  private Spelling() {}

  static String inQuery(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static String inJson(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /**
   * Credentials of the basic kind.
   *
   * @param user empty where the value has both
   */
  static String basic(String user, String value) {
    String both = user.isEmpty() ? value : user + ":" + value;
    return Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.ISO_8859_1));
  }
}
