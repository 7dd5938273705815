package dev.cove.edge.port;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.port.Pass;
import dev.cove.control.port.PortAccess;
import dev.cove.control.port.PortAddress;
import dev.cove.control.port.Ports;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.RawExchange;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Decides who may use a port. */
final class PortGate {
  private final Ports ports;
  private final ApiKeys keys;
  private final Function<PortAddress, Optional<ProjectName>> owner;
  private final OtherAccess others;

  /**
   * @param owner whose sandbox a port is of; nobody's once it is gone
   */
  PortGate(
      Ports ports,
      ApiKeys keys,
      Function<PortAddress, Optional<ProjectName>> owner,
      OtherAccess others) {
    this.others = others;
    this.ports = ports;
    this.keys = keys;
    this.owner = owner;
  }

  Admission admit(PortAddress address, Credentials credentials, RawExchange exchange) {
    if (credentials.links().size() == 1) {
      String link = credentials.links().getFirst();
      Optional<Pass> cookie = ports.cookie(address, link);
      if (cookie.isPresent()) {
        return new Admission(() -> ports.isOpenedByLink(address, link), cookie, false);
      }
    }
    if (ports.access(address) == PortAccess.PUBLIC) {
      return new Admission(
          () -> ports.access(address) == PortAccess.PUBLIC, Optional.empty(), true);
    }
    return byKey(address, credentials)
        .or(() -> bySecret(address, PortAccess.BEARER, credentials.bearer()))
        .or(() -> bySecret(address, PortAccess.BASIC, credentials.basic()))
        .or(() -> byCookie(address, credentials, exchange))
        .or(() -> others.admit(address, exchange).map(Admission::new))
        .orElseThrow(() -> refusal(address, credentials));
  }

  private Optional<Admission> byKey(PortAddress address, Credentials credentials) {
    return credentials.keys().stream()
        .filter(key -> isOpenedBy(address, key))
        .findFirst()
        .map(key -> new Admission(() -> isOpenedBy(address, key)));
  }

  /** Its own project's keys open a port, and those of operators. */
  private boolean isOpenedBy(PortAddress address, String presented) {
    return keys.authenticate(presented)
        .filter(key -> key.project().isEmpty() || key.project().equals(owner.apply(address)))
        .isPresent();
  }

  private Optional<Admission> bySecret(
      PortAddress address, PortAccess kind, Optional<String> presented) {
    return presented
        .filter(secret -> ports.isOpenedBySecret(address, kind, secret))
        .map(secret -> new Admission(() -> ports.isOpenedBySecret(address, kind, secret)));
  }

  private Optional<Admission> byCookie(
      PortAddress address, Credentials credentials, RawExchange exchange) {
    if (credentials.cookies().isEmpty() || isFromElsewhere(exchange)) {
      return Optional.empty();
    }
    return credentials.cookies().stream()
        .filter(cookie -> ports.isOpenedByCookie(address, cookie))
        .findFirst()
        .map(cookie -> new Admission(() -> ports.isOpenedByCookie(address, cookie)));
  }

  /**
   * A browser adds cookies also to requests that pages of other sandboxes make: under one domain
   * they are all the same site to it. It says where such a request comes from.
   */
  private static boolean isFromElsewhere(RawExchange exchange) {
    String origin = exchange.single("Origin");
    if (!origin.isEmpty()) {
      return !origin.equals("http://" + exchange.authority())
          && !origin.equals("https://" + exchange.authority());
    }
    String site = exchange.single("Sec-Fetch-Site");
    return (site.equals("cross-site") || site.equals("same-site"))
        && !exchange.single("Sec-Fetch-Mode").equals("navigate");
  }

  private HttpRefusal refusal(PortAddress address, Credentials credentials) {
    String challenge =
        ports.access(address) == PortAccess.BASIC
            ? "Basic realm=\"%s\", charset=\"UTF-8\"".formatted(address)
            : "Bearer";
    return new HttpRefusal(
        401,
        ErrorCode.UNAUTHENTICATED,
        credentials.links().isEmpty()
            ? "This port is not public: it needs an API key, a link or what it was shared with"
            : "This link has ended, was revoked or is not whole",
        Map.of("WWW-Authenticate", challenge));
  }
}
