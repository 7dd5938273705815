package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import java.util.Locale;
import java.util.Optional;

/** The names that ports have on the web: {@code 3000-<id>.<domain>} and {@code /p/<id>/3000/}. */
public final class PortNames {
  private static final String PREFIX = "/p/";

  private final String domain;
  private final String own;

  /**
   * @param own the name of this server itself, which is no port's even if it is below the domain
   */
  public PortNames(String domain, String own) {
    this.domain = domain.toLowerCase(Locale.ROOT);
    this.own = own.toLowerCase(Locale.ROOT);
  }

  /**
   * A port, and where in an address it was named.
   *
   * @param prefix what the path began with; empty where the host named the port
   */
  record Named(PortAddress address, String prefix) {
    /** The path as the server inside knows it; empty where even the first slash is missing. */
    String inner(String path) {
      return path.substring(prefix.length());
    }

    boolean byPath() {
      return !prefix.isEmpty();
    }
  }

  /**
   * The part of a name before our domain; empty where it is no name of ours in the one spelling.
   */
  public Optional<String> label(String host) {
    String suffix = "." + domain;
    return ownsHost(host) && host.endsWith(suffix)
        ? Optional.of(host.substring(0, host.length() - suffix.length()))
        : Optional.empty();
  }

  /** The domain as it has to be written by whoever reached us by this authority. */
  public String domainFor(String authority) {
    return domain + portOf(authority);
  }

  boolean ownsHost(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return !lower.equals(own)
        && (lower.endsWith("." + domain) || lower.endsWith("." + domain + "."));
  }

  boolean ownsPath(String path) {
    return path.startsWith(PREFIX);
  }

  /** Only the one right spelling names a port. */
  Optional<Named> find(String host, String path) {
    if (ownsHost(host)) {
      return label(host).flatMap(PortAddress::parseLabel).map(address -> new Named(address, ""));
    }
    String[] segments = path.split("/", 5);
    return ownsPath(path) && segments.length >= 4
        ? PortAddress.parse(segments[2], segments[3])
            .map(address -> new Named(address, prefixOf(address)))
        : Optional.empty();
  }

  /** The path by which the same request can be made to our own name. */
  public static String path(PortAddress address, String inner) {
    return prefixOf(address) + inner;
  }

  private static String prefixOf(PortAddress address) {
    return PREFIX + address.sandbox() + "/" + address.port();
  }

  /**
   * The address of a port by host name, for whoever reached us by this authority.
   *
   * @param scheme {@code http} or {@code https}
   */
  String url(PortAddress address, String scheme, String authority) {
    return "%s://%s.%s/".formatted(scheme, address.label(), domainFor(authority));
  }

  String pathUrl(PortAddress address, String scheme, String authority) {
    return "%s://%s%s/".formatted(scheme, authority, prefixOf(address));
  }

  private static String portOf(String authority) {
    int colon = authority.lastIndexOf(':');
    return colon > authority.lastIndexOf(']') ? authority.substring(colon) : "";
  }
}
