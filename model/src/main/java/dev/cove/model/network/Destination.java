package dev.cove.model.network;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where a program in a sandbox wants to go. */
public record Destination(Host host, int port) {
  /** What the program named: a host, or an address as such. */
  public sealed interface Host {
    /** As it is written in a rule. */
    String text();
  }

  public record Named(DomainName name) implements Host {
    @Override
    public String text() {
      return name.value();
    }
  }

  public record Literal(InetAddress address) implements Host {
    /** Without the interface that an address may carry: rules speak of addresses alone. */
    public Literal {
      try {
        address = InetAddress.getByAddress(address.getAddress());
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("An address has 4 or 16 bytes", e);
      }
    }

    @Override
    public String text() {
      String text = address.getHostAddress();
      return address instanceof Inet6Address ? "[" + text + "]" : text;
    }
  }

  public Destination {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("A port is a number from 1 to 65535");
    }
  }

  public static Destination of(DomainName name, int port) {
    return new Destination(new Named(name), port);
  }

  public static Destination of(InetAddress address, int port) {
    return new Destination(new Literal(address), port);
  }

  /** {@code host:port} as people write it; IPv6 addresses in brackets. */
  public static Destination parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[1-9][0-9]{0,4}")) {
      throw new IllegalArgumentException("A destination is written as in example.com:443");
    }
    String host = text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    int port = Integer.parseInt(text.substring(colon + 1));
    return AddressRange.address(bracketed ? host.substring(1, host.length() - 1) : host)
        .filter(_ -> bracketed == host.indexOf(':') >= 0)
        .map(address -> of(address, port))
        .orElseGet(() -> of(DomainName.of(host), port));
  }

  @Override
  public String toString() {
    return host.text() + ":" + port;
  }
}
