package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Host;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.NetworkRule.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The head of an HTTP/1 request. */
public final class RequestHead {
  private static final Pattern LINE =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~]+) HTTP/1\\.([01])");
  private static final Pattern ABSOLUTE =
      Pattern.compile("http://([^/?#@\\\\]+)(/[^#]*|\\?[^#]*)?", Pattern.CASE_INSENSITIVE);

  /** Meant for the next hop alone, or for a proxy. */
  private static final Set<String> OF_THE_HOP =
      Set.of(
          "connection",
          "proxy-connection",
          "keep-alive",
          "proxy-authorization",
          "proxy-authenticate",
          "te",
          "upgrade");

  private final String method;
  private final String target;
  private final int minorVersion;
  private final Fields fields;
  private final String text;

  private RequestHead(String method, String target, int minorVersion, Fields fields, String text) {
    this.method = method;
    this.target = target;
    this.minorVersion = minorVersion;
    this.fields = fields;
    this.text = text;
  }

  /** Nothing when the connection ended before one began. */
  public static Optional<RequestHead> read(Inflow in, Duration patience) throws IOException {
    Optional<String> text = HeadReader.read(in, patience);
    return text.isEmpty() ? Optional.empty() : Optional.of(parse(text.get()));
  }

  static RequestHead parse(String text) throws BadMessageException {
    List<String> lines = List.of(text.substring(0, text.length() - 4).split("\r\n", -1));
    Matcher first = LINE.matcher(lines.getFirst());
    if (!first.matches()) {
      throw new BadMessageException("That is not a request of HTTP/1");
    }
    var head =
        new RequestHead(
            first.group(1),
            first.group(2),
            Integer.parseInt(first.group(3)),
            Fields.parse(lines.subList(1, lines.size())),
            text);
    head.framing();
    if (head.fields.values("Host").size() > 1) {
      throw new BadMessageException("More than one Host");
    }
    return head;
  }

  public String method() {
    return method;
  }

  public String target() {
    return target;
  }

  public Fields fields() {
    return fields;
  }

  /** The same request with another target and other fields. */
  RequestHead with(String newTarget, Fields newFields) {
    String newText =
        "%s %s HTTP/1.%d\r\n%s\r\n".formatted(method, newTarget, minorVersion, newFields.text());
    return new RequestHead(method, newTarget, minorVersion, newFields, newText);
  }

  /** Whether its sender can read chunks. */
  boolean knowsChunks() {
    return minorVersion > 0;
  }

  boolean expectsContinue() {
    return fields.words("Expect").contains("100-continue");
  }

  byte[] bytes() {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  Framing framing() throws BadMessageException {
    Framing framing = fields.framing().orElse(new Framing.Length(0));
    if (minorVersion == 0 && framing instanceof Framing.Chunked) {
      throw new BadMessageException("Chunks in HTTP/1.0");
    }
    return framing;
  }

  /** The part that rules can speak of. */
  public Request request() {
    String path = ABSOLUTE.matcher(target).replaceFirst("$2");
    int query = path.indexOf('?');
    String bare = query < 0 ? path : path.substring(0, query);
    return new Request(method, bare.isEmpty() ? "/" : bare);
  }

  /** Whether every place that names a host names this one. */
  public boolean isFor(Destination destination) {
    List<String> hosts = fields.values("Host");
    Matcher absolute = ABSOLUTE.matcher(target);
    boolean origin = target.startsWith("/") || (target.equals("*") && method.equals("OPTIONS"));
    return !method.equals("CONNECT")
        && hosts.size() == 1
        && names(hosts.getFirst(), destination)
        && (origin || (absolute.matches() && names(absolute.group(1), destination)));
  }

  /** The port may be left out: which one is meant the connection says. */
  public static boolean names(String authority, Destination destination) {
    try {
      return authority(authority, destination.port()).equals(destination);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Destination authority(String authority, int port) {
    boolean withPort = authority.lastIndexOf(':') > authority.lastIndexOf(']');
    return withPort ? Destination.parse(authority) : new Destination(host(authority), port);
  }

  private static Host host(String text) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    return AddressRange.address(bracketed ? text.substring(1, text.length() - 1) : text)
        .<Host>map(Destination.Literal::new)
        .orElseGet(() -> new Destination.Named(DomainName.of(text)));
  }

  /**
   * Where a request to a proxy wants to go.
   *
   * @throws BadMessageException it does not say so plainly
   */
  public Destination proxied() throws BadMessageException {
    Matcher absolute = ABSOLUTE.matcher(target);
    try {
      if (method.equals("CONNECT")) {
        return Destination.parse(target);
      }
      if (absolute.matches()) {
        return authority(absolute.group(1), 80);
      }
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("That is not a host and a port");
    }
    throw new BadMessageException("A proxy is asked for http://… or by CONNECT");
  }

  /** As it would have been sent to the destination itself, as the last on its connection. */
  public byte[] direct(Destination destination) {
    String path = ABSOLUTE.matcher(target).replaceFirst("$2");
    String origin = path.isEmpty() ? "/" : path.startsWith("?") ? "/" + path : path;
    Set<String> dropped = fields.words("Connection").stream().collect(Collectors.toSet());
    var direct = new StringBuilder(method).append(' ').append(origin);
    direct.append(" HTTP/1.").append(minorVersion).append("\r\n");
    direct.append("Host: ").append(destination.host().text());
    direct.append(destination.port() == 80 ? "" : ":" + destination.port()).append("\r\n");
    for (Fields.Field field : fields.all()) {
      String name = field.name().toLowerCase(Locale.ROOT);
      boolean framing = name.equals("content-length") || name.equals("transfer-encoding");
      if (framing
          || (!name.equals("host") && !OF_THE_HOP.contains(name) && !dropped.contains(name))) {
        direct.append(field.name()).append(": ").append(field.value()).append("\r\n");
      }
    }
    return direct
        .append("Connection: close\r\n\r\n")
        .toString()
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  boolean upgrades() {
    return fields.words("Connection").contains("upgrade") && !fields.values("Upgrade").isEmpty();
  }

  boolean isLast() {
    List<String> words = fields.words("Connection");
    return words.contains("close") || (minorVersion == 0 && !words.contains("keep-alive"));
  }

  public boolean wantsJson() {
    return fields.values("Accept").stream().anyMatch(value -> value.contains("json"));
  }
}
