package dev.cove.model.network;

import dev.cove.model.network.Destination.Host;
import dev.cove.model.network.Destination.Literal;
import dev.cove.model.network.Destination.Named;
import java.net.InetAddress;

/** Which hosts a rule is about. */
public sealed interface HostPattern {
  boolean matches(Host host);

  /** Whether a host's real address falls under it, by whatever name the host was asked for. */
  default boolean covers(InetAddress address) {
    return matches(new Literal(address));
  }

  /** {@code *}: every name and every address. */
  record Anything() implements HostPattern {
    @Override
    public boolean matches(Host host) {
      return true;
    }

    @Override
    public String toString() {
      return "*";
    }
  }

  record Exactly(DomainName name) implements HostPattern {
    @Override
    public boolean matches(Host host) {
      return host instanceof Named named && named.name().equals(name);
    }

    @Override
    public String toString() {
      return name.value();
    }
  }

  /** {@code *.example.com}: every name below it, and not itself. */
  record Below(DomainName parent) implements HostPattern {
    @Override
    public boolean matches(Host host) {
      return host instanceof Named named && named.name().isBelow(parent);
    }

    @Override
    public String toString() {
      return "*." + parent;
    }
  }

  /** Addresses that are asked for as such; a name that leads there is another matter. */
  record Within(AddressRange range) implements HostPattern {
    @Override
    public boolean matches(Host host) {
      return host instanceof Literal literal && range.contains(literal.address());
    }

    @Override
    public String toString() {
      String text = range.toString();
      return text.indexOf(':') >= 0 ? "[" + text + "]" : text;
    }
  }

  static HostPattern of(String text) {
    if (text.equals("*")) {
      return new Anything();
    }
    if (text.startsWith("*.")) {
      return new Below(DomainName.of(text.substring(2)));
    }
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    String bare = bracketed ? text.substring(1, text.length() - 1) : text;
    if (bracketed || bare.matches("[0-9.]+(/[0-9]+)?")) {
      return new Within(AddressRange.of(bare));
    }
    return new Exactly(DomainName.of(text));
  }
}
