package dev.cove.egress.decision;

import dev.cove.model.network.AddressRange;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What no rule can allow: addresses that lead back to this machine, into the networks around it, or
 * nowhere. The operator can open ranges of them; even then a cloud's metadata and Cove's own ports
 * stay closed, and this machine's own addresses open only one by one.
 */
public final class AddressGuard {
  /** Some addresses and why nobody may go there. */
  private record Kind(String name, List<AddressRange> ranges) {
    static Kind of(String name, String... ranges) {
      return new Kind(name, Arrays.stream(ranges).map(AddressRange::of).toList());
    }

    boolean contains(InetAddress address) {
      return ranges.stream().anyMatch(range -> range.contains(address));
    }
  }

  /** Also those of clouds that give it addresses which look like anybody's. */
  private static final Kind METADATA =
      Kind.of(
          "metadata",
          "169.254.169.254",
          "169.254.170.2",
          "169.254.170.23",
          "100.100.100.200",
          "168.63.129.16",
          "192.0.0.192",
          "fd00:ec2::254",
          "fd00:ec2::23",
          "fd20:ce::254");

  private static final Kind LOOPBACK = Kind.of("loopback", "127.0.0.0/8", "::1");

  private static final List<Kind> CLOSED =
      List.of(
          LOOPBACK,
          Kind.of("unspecified", "0.0.0.0/8", "::"),
          Kind.of("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
          Kind.of("shared", "100.64.0.0/10"),
          Kind.of("link-local", "169.254.0.0/16", "fe80::/10", "fec0::/10"),
          Kind.of("inside", "198.18.0.0/15"),
          Kind.of("multicast", "224.0.0.0/4", "ff00::/8"),
          Kind.of("reserved", "192.0.0.0/24", "240.0.0.0/4"));

  /** Of IPv6 everything else is reserved, or an IPv4 address in disguise. */
  private static final AddressRange GLOBAL = AddressRange.of("2000::/3");

  private static final AddressRange TRANSLATED = AddressRange.of("64:ff9b::/96");
  private static final AddressRange TEREDO = AddressRange.of("2001::/32");
  private static final AddressRange SIX_TO_FOUR = AddressRange.of("2002::/16");

  private final List<AddressRange> opened;
  private final Kind refused;
  private final Set<Integer> ownPorts;
  private final HostAddresses host;

  /**
   * @param opened by the operator, though otherwise closed
   * @param refused addresses that lead to this machine though it does not know of them
   * @param ownPorts of Cove itself, on whatever address of this machine
   */
  public AddressGuard(
      List<AddressRange> opened,
      List<AddressRange> refused,
      Set<Integer> ownPorts,
      HostAddresses host) {
    this.opened = List.copyOf(opened);
    this.refused = new Kind("host", List.copyOf(refused));
    this.ownPorts = Set.copyOf(ownPorts);
    this.host = host;
  }

  /** Why nothing may connect there, if nothing may. */
  public Optional<String> objection(InetAddress address, int port) {
    if (METADATA.contains(address)) {
      return never(METADATA.name());
    }
    if (refused.contains(address)) {
      return never(refused.name());
    }
    boolean own = host.contains(address);
    if (ownPorts.contains(port) && (own || LOOPBACK.contains(address))) {
      return never("own port");
    }
    Optional<String> embedded =
        embedded(address).stream().flatMap(inner -> objection(inner, port).stream()).findFirst();
    if (embedded.isPresent()) {
      return embedded;
    }
    if (own) {
      return isNamed(address) ? Optional.empty() : closed(address).or(() -> never("host"));
    }
    return isOpened(address) ? Optional.empty() : closed(address);
  }

  private boolean isOpened(InetAddress address) {
    return opened.stream().anyMatch(range -> range.contains(address));
  }

  /** Whoever opens a network does not mean to open this machine with it. */
  private boolean isNamed(InetAddress address) {
    return opened.contains(AddressRange.of(address.getHostAddress()));
  }

  private static Optional<String> closed(InetAddress address) {
    Optional<String> kind =
        CLOSED.stream().filter(closed -> closed.contains(address)).map(Kind::name).findFirst();
    boolean reserved =
        address.getAddress().length == 16
            && !GLOBAL.contains(address)
            && !TRANSLATED.contains(address);
    return kind.or(() -> reserved ? Optional.of("reserved") : Optional.empty())
        .flatMap(AddressGuard::never);
  }

  private static Optional<String> never(String kind) {
    return Optional.of("never " + kind);
  }

  /** The IPv4 addresses to which some router on the way would send what goes to this one. */
  private static List<InetAddress> embedded(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 4) {
      return List.of();
    }
    var found = new ArrayList<InetAddress>();
    if (TRANSLATED.contains(address)) {
      found.add(four(bytes, 12, 0));
    }
    if (SIX_TO_FOUR.contains(address)) {
      found.add(four(bytes, 2, 0));
    }
    if (TEREDO.contains(address)) {
      found.add(four(bytes, 4, 0));
      found.add(four(bytes, 12, 0xFF));
    }
    if (isTunnelled(bytes)) {
      found.add(four(bytes, 12, 0));
    }
    return found;
  }

  /** By ISATAP, whose interface identifiers say so. */
  private static boolean isTunnelled(byte[] bytes) {
    return Stream.of(0x00, 0x02)
        .anyMatch(first ->
            bytes[8] == first && bytes[9] == 0 && bytes[10] == 0x5E && bytes[11] == (byte) 0xFE);
  }

  private static InetAddress four(byte[] bytes, int at, int mask) {
    byte[] four = Arrays.copyOfRange(bytes, at, at + 4);
    for (int i = 0; i < four.length; i++) {
      four[i] ^= (byte) mask;
    }
    try {
      return InetAddress.getByAddress(four);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
