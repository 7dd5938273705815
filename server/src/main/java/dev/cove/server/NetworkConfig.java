package dev.cove.server;

import dev.cove.egress.GatewayLimits;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the operator says about the ways out of all sandboxes.
 *
 * @param floor what it does not allow, no sandbox is allowed
 * @param privateRanges addresses that are otherwise closed to every sandbox
 * @param dns who is asked for names; as the host does it when nobody is named
 * @param trusted authorities that may vouch for servers, besides those that the JDK trusts
 * @param most how much of the network one sandbox may have
 */
record NetworkConfig(
    NetworkPolicy floor,
    List<AddressRange> privateRanges,
    Optional<InetSocketAddress> dns,
    List<X509Certificate> trusted,
    NetworkLimits most) {
  private static final String FLOOR = "COVE_NETWORK_FLOOR";
  private static final String PRIVATE = "COVE_PRIVATE_RANGES";
  private static final String DNS = "COVE_DNS";
  private static final String TRUSTED = "COVE_TRUSTED_CAS";
  private static final NetworkLimits USUAL = GatewayLimits.USUAL.most();
  private static final int MAX_RANGES = 64;
  private static final int MAX_TRUSTED_BYTES = 1 << 20;
  private static final int MAX_FLOOR_BYTES = 1 << 20;
  private static final int DNS_PORT = 53;

  static NetworkConfig read(Map<String, String> environment, List<String> faults) {
    return new NetworkConfig(
        find(environment, FLOOR).map(file -> floor(file, faults)).orElse(NetworkPolicy.EVERYTHING),
        find(environment, PRIVATE).map(text -> ranges(text, faults)).orElse(List.of()),
        find(environment, DNS).flatMap(text -> server(text, faults)),
        find(environment, TRUSTED).map(file -> trusted(file, faults)).orElse(List.of()),
        new NetworkLimits(
            (int) number(environment, "COVE_MAX_CONNECTIONS", USUAL.connections(), faults),
            (int) number(environment, "COVE_MAX_NEW_CONNECTIONS", USUAL.newConnections(), faults),
            (int) number(environment, "COVE_MAX_NAME_QUERIES", USUAL.nameQueries(), faults),
            number(environment, "COVE_MAX_BYTES_PER_HOUR", USUAL.bytesPerHour(), faults)));
  }

  /** A limit that cannot be read must not be passed over either. */
  private static long number(
      Map<String, String> environment, String name, long usual, List<String> faults) {
    Optional<String> text = find(environment, name);
    boolean whole = name.equals("COVE_MAX_BYTES_PER_HOUR");
    if (text.isPresent() && !text.get().matches(whole ? "[1-9][0-9]{0,17}" : "[1-9][0-9]{0,5}")) {
      faults.add(
          "%s must be a positive number of at most %d digits".formatted(name, whole ? 18 : 6));
      return usual;
    }
    return text.map(Long::parseLong).orElse(usual);
  }

  private static Optional<String> find(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(text -> !text.isBlank());
  }

  /** A floor that cannot be read is no floor, so it must not be passed over. */
  private static NetworkPolicy floor(String file, List<String> faults) {
    try {
      Path path = Path.of(file);
      if (Files.size(path) > MAX_FLOOR_BYTES) {
        faults.add("%s names a file that is too large for a network policy".formatted(FLOOR));
        return NetworkPolicy.NOTHING;
      }
      return NetworkPolicy.parse(Files.readString(path));
    } catch (IOException | InvalidPathException e) {
      faults.add("%s names a file that cannot be read: %s".formatted(FLOOR, e.getMessage()));
    } catch (IllegalArgumentException e) {
      faults.add("%s names a file that is no network policy: %s".formatted(FLOOR, e.getMessage()));
    }
    return NetworkPolicy.NOTHING;
  }

  private static List<X509Certificate> trusted(String file, List<String> faults) {
    try (var in = Files.newInputStream(Path.of(file))) {
      var bytes = new ByteArrayInputStream(in.readNBytes(MAX_TRUSTED_BYTES));
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(bytes).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (found.isEmpty()) {
        faults.add("%s names a file without a certificate".formatted(TRUSTED));
      }
      return found;
    } catch (IOException | InvalidPathException e) {
      faults.add("%s names a file that cannot be read: %s".formatted(TRUSTED, e.getMessage()));
    } catch (CertificateException e) {
      faults.add("%s must name a file of certificates in PEM".formatted(TRUSTED));
    }
    return List.of();
  }

  private static List<AddressRange> ranges(String text, List<String> faults) {
    List<AddressRange> ranges = new ArrayList<>();
    try {
      for (String range : text.split(",", MAX_RANGES + 1)) {
        ranges.add(AddressRange.of(range.strip()));
      }
    } catch (IllegalArgumentException e) {
      faults.add(
          "%s must be up to %d ranges such as 10.1.0.0/16, with commas between them: %s"
              .formatted(PRIVATE, MAX_RANGES, e.getMessage()));
    }
    return ranges;
  }

  private static Optional<InetSocketAddress> server(String text, List<String> faults) {
    int colon = text.startsWith("[") ? text.indexOf("]:") + 1 : text.lastIndexOf(':');
    boolean withPort = colon > 0 && text.substring(colon + 1).matches("[1-9][0-9]{0,4}");
    String host = (withPort ? text.substring(0, colon) : text).replaceAll("[\\[\\]]", "");
    int port = withPort ? Integer.parseInt(text.substring(colon + 1)) : DNS_PORT;
    Optional<InetSocketAddress> found =
        port > 65_535
            ? Optional.empty()
            : AddressRange.address(host).map(address -> new InetSocketAddress(address, port));
    if (found.isEmpty()) {
      faults.add("%s must be an address, perhaps with a port, as in 192.0.2.53:53".formatted(DNS));
    }
    return found;
  }
}
