package dev.cove.control.port;

import dev.cove.model.SandboxId;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A TCP port of a sandbox. Every spelling of one, in a host name, a path or a route, is read here.
 *
 * <p>There is exactly one spelling: two texts that mean the same port to one reader and not to
 * another are how a check of one port lets a request through to the next.
 */
public record PortAddress(SandboxId sandbox, int port) {
  private static final int HIGHEST = 65_535;
  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

  public PortAddress {
    if (port < 1 || port > HIGHEST) {
      throw new IllegalArgumentException("A port is a number from 1 to " + HIGHEST);
    }
  }

  /** Reads {@code 3000-<id>}, the first label of a host name. */
  public static Optional<PortAddress> parseLabel(String label) {
    int dash = label.indexOf('-');
    return dash < 0 ? Optional.empty() : parse(label.substring(dash + 1), label.substring(0, dash));
  }

  public static Optional<PortAddress> parse(String sandbox, String port) {
    OptionalInt number = parsePort(port);
    return number.isPresent() && SandboxId.isValid(sandbox)
        ? Optional.of(new PortAddress(new SandboxId(sandbox), number.getAsInt()))
        : Optional.empty();
  }

  /** No sign, no leading zero, no digits of other scripts. */
  public static OptionalInt parsePort(String text) {
    if (!PORT.matcher(text).matches()) {
      return OptionalInt.empty();
    }
    int port = Integer.parseInt(text);
    return port <= HIGHEST ? OptionalInt.of(port) : OptionalInt.empty();
  }

  public String label() {
    return port + "-" + sandbox;
  }

  @Override
  public String toString() {
    return label();
  }
}
