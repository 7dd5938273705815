package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.RawExchange;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Writes the one request that a server inside gets to see. */
final class RequestHead {
  /** Named by us, or not at all. */
  private static final Set<String> REPLACED =
      Set.of(
          "host",
          "content-length",
          "expect",
          "forwarded",
          "trailer",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-prefix",
          "x-forwarded-proto",
          "x-forwarded-server",
          "x-forwarded-ssl",
          "x-real-ip");

  private final RawExchange exchange;
  private final PortNames.Named named;
  private final Credentials credentials;
  private final String upgrade;
  private final Set<String> notPassed;
  private final String host;

  /**
   * @param host that the server inside is to read
   * @param notPassed in lower case, further fields that are not for the server inside
   */
  RequestHead(
      RawExchange exchange,
      PortNames.Named named,
      Credentials credentials,
      String host,
      Set<String> notPassed) {
    this.host = host;
    this.notPassed = notPassed;
    this.exchange = exchange;
    this.named = named;
    this.credentials = credentials;
    String wanted = exchange.canUpgrade() ? exchange.single("Upgrade") : "";
    this.upgrade = !wanted.isEmpty() && isAsked(exchange, wanted) ? wanted : "";
  }

  private static boolean isAsked(RawExchange exchange, String protocol) {
    boolean asked =
        exchange.fields().stream()
            .filter(field -> field.is("Connection"))
            .flatMap(field -> List.of(field.value().split(",")).stream())
            .anyMatch(option -> option.strip().equalsIgnoreCase("upgrade"));
    return asked && Token.isName(protocol.replace("/", "")) && !protocol.equalsIgnoreCase("h2c");
  }

  /** The protocol to change to, or nothing. HTTP/2 without TLS is for us alone to speak. */
  String upgrade() {
    return upgrade;
  }

  byte[] toBytes() throws IOException {
    String target = named.inner(exchange.path());
    if (!credentials.query().isEmpty()) {
      target += "?" + credentials.query();
    }
    if (!Token.isTarget(target) || !Token.isName(exchange.method())) {
      throw new HttpRefusal(400, ErrorCode.INVALID_REQUEST, "The request is not well-formed HTTP");
    }
    var head = new StringBuilder(512);
    head.append(exchange.method()).append(' ').append(target).append(" HTTP/1.1\r\n");
    add(head, "Host", host);
    List<HeaderField> fields = exchange.fields();
    HopFields hops = HopFields.of(fields);
    for (HeaderField field : fields) {
      String name = field.name().toLowerCase(Locale.ROOT);
      if (!hops.contains(field)
          && !credentials.isIn(field)
          && !REPLACED.contains(name)
          && !notPassed.contains(name)) {
        add(head, field.name(), field.value());
      }
    }
    if (!credentials.cookieField().isEmpty()) {
      add(head, "Cookie", credentials.cookieField());
    }
    add(head, "X-Forwarded-For", exchange.clientAddress());
    add(head, "X-Forwarded-Host", exchange.authority());
    add(head, "X-Forwarded-Proto", exchange.isSecure() ? "https" : "http");
    if (named.byPath()) {
      add(head, "X-Forwarded-Prefix", named.prefix());
    }
    addFraming(head);
    return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private void addFraming(StringBuilder head) throws IOException {
    if (!upgrade.isEmpty()) {
      add(head, "Connection", "Upgrade");
      add(head, "Upgrade", upgrade);
    }
    if (exchange.length().isPresent()) {
      add(head, "Content-Length", Long.toString(exchange.length().getAsLong()));
    } else if (exchange.hasBody()) {
      add(head, "Transfer-Encoding", "chunked");
    }
  }

  /** Checked again although the HTTP library did: one line too many here is a second request. */
  private static void add(StringBuilder head, String name, String value) {
    if (!Token.isName(name) || !Token.isValue(value)) {
      throw new HttpRefusal(400, ErrorCode.INVALID_REQUEST, "A header is not well-formed");
    }
    head.append(name).append(": ").append(value).append("\r\n");
  }
}
