package dev.cove.egress.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** A short answer of the gateway's own, after which it closes the connection. */
public final class Page {
  private final int status;
  private final String reason;
  private final String text;
  private final Map<String, String> facts;
  private final String denied;

  private Page(int status, String reason, String text, Map<String, String> facts, String denied) {
    this.status = status;
    this.reason = reason;
    this.text = text;
    this.facts = facts;
    this.denied = denied;
  }

  /**
   * Says that something may not be reached, by which rule, and what can be done.
   *
   * @param remedy a command for the owner; empty when none would help
   */
  public static Page denied(String destination, String rule, String remedy) {
    String help =
        remedy.isEmpty()
            ? "No rule of this sandbox can allow it.\n"
            : "The owner of this sandbox can allow it:\n\n    " + remedy + "\n";
    return new Page(
        403,
        "Forbidden",
        "This sandbox may not reach %s.\nDecided by: %s\n%s".formatted(destination, rule, help),
        Map.of(
            "code", "network_denied", "destination", destination, "rule", rule, "remedy", remedy),
        rule);
  }

  /** Says that a sandbox has had its share. */
  public static Page limited(String destination, String limit) {
    return new Page(
        429,
        "Too Many Requests",
        "This sandbox may not reach %s just now: it has reached its %s.\n"
            .formatted(destination, limit),
        Map.of("code", "network_limited", "destination", destination, "rule", limit),
        limit);
  }

  /** Says that the sandbox's project has had its share of the day. */
  public static Page overQuota(String destination, String quota) {
    return new Page(
        403,
        "Forbidden",
        """
        This sandbox may not reach %s today: the %s is used up.
        It begins anew at midnight UTC; an operator can raise it with cove project set.
        """
            .formatted(destination, quota),
        Map.of("code", "network_quota", "destination", destination, "rule", quota),
        quota);
  }

  /** Says that a request names another host than its connection goes to. */
  public static Page misdirected(String destination) {
    return new Page(
        421,
        "Misdirected Request",
        "This connection goes to %s, and the request names another host.\n".formatted(destination),
        Map.of("code", "network_misdirected", "destination", destination),
        "host mismatch");
  }

  public static Page bad(String what) {
    return new Page(
        400,
        "Bad Request",
        "The network gateway of this sandbox cannot read this request: %s.\n".formatted(what),
        Map.of("code", "network_bad_request", "message", what),
        "");
  }

  public static Page unreachable(String destination, String why) {
    return new Page(
        502,
        "Bad Gateway",
        "%s may be reached, but could not be: %s.\n".formatted(destination, why),
        Map.of("code", "network_unreachable", "destination", destination, "message", why),
        "");
  }

  /** Says that an answer came in which a secret could not be masked. */
  static Page unreadable(String what) {
    return new Page(
        502,
        "Bad Gateway",
        ("A secret is bound to this host, so that its answers are looked through, and this one"
                + " cannot be: %s.\n")
            .formatted(what),
        Map.of("code", "network_answer_unreadable", "message", what),
        "");
  }

  /** Says that a body is too large for a secret to be put into it. */
  public static Page tooLarge(int limit) {
    return new Page(
        413,
        "Content Too Large",
        "A secret goes into the body of this request, which may have %d bytes then.\n"
            .formatted(limit),
        Map.of("code", "network_body_too_large"),
        "");
  }

  public int status() {
    return status;
  }

  public String text() {
    return text;
  }

  /** The rule or fault behind a refusal; empty for others. */
  public String denied() {
    return denied;
  }

  public byte[] bytes(boolean json) {
    byte[] body = (json ? json() : text).getBytes(StandardCharsets.UTF_8);
    String head =
        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %d\r\n%sCache-Control: no-store\r\nConnection: close\r\n\r\n"
            .formatted(
                status,
                reason,
                json ? "application/json" : "text/plain",
                body.length,
                denied.isEmpty() ? "" : "X-Cove-Denied: " + denied + "\r\n");
    byte[] headBytes = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = new byte[headBytes.length + body.length];
    System.arraycopy(headBytes, 0, all, 0, headBytes.length);
    System.arraycopy(body, 0, all, headBytes.length, body.length);
    return all;
  }

  private String json() {
    return facts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(fact -> quoted(fact.getKey()) + ":" + quoted(fact.getValue()))
        .collect(Collectors.joining(",", "{\"error\":{", "}}\n"));
  }

  private static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else {
        quoted.append(c < ' ' ? ' ' : c);
      }
    }
    return quoted.append('"').toString();
  }
}
