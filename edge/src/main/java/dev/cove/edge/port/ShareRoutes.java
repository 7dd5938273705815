package dev.cove.edge.port;

import dev.cove.control.port.Pass;
import dev.cove.control.port.PortAccess;
import dev.cove.control.port.PortAddress;
import dev.cove.control.port.Ports;
import dev.cove.control.port.Shared;
import dev.cove.control.port.SharedPort;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.process.PortRoutes;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says who may reach a sandbox's ports, and where they are. */
public final class ShareRoutes {
  private static final String ALL = SandboxRoutes.ONE + "/ports";
  private static final String ONE = ALL + "/{port}";
  private static final long LINK_SECONDS = Duration.ofHours(1).toSeconds();

  private final SandboxLifecycle lifecycle;
  private final Ports ports;
  private final PortNames names;
  private final PortProxy proxy;

  public ShareRoutes(SandboxLifecycle lifecycle, Ports ports, PortNames names, PortProxy proxy) {
    this.lifecycle = lifecycle;
    this.ports = ports;
    this.names = names;
    this.proxy = proxy;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ALL, this::list),
        Route.of("PUT", ONE, this::share),
        Route.of("DELETE", ONE, this::unshare),
        Route.of("POST", ONE + "/link", this::link));
  }

  private void list(Exchange exchange) {
    var items =
        ports.list(lifecycle.require(exchange.path("box")).id()).stream()
            .map(port -> body(exchange, new Shared(port, Optional.empty())))
            .toList();
    exchange.send(200, new ListBody(items));
  }

  private void share(Exchange exchange) throws IOException {
    PortAddress address = address(exchange);
    WantedBody wanted = exchange.json(WantedBody.class);
    Shared shared =
        ports.share(
            address,
            access(Fields.require("access", wanted.access())),
            Optional.ofNullable(wanted.expiresInSeconds()).map(Duration::ofSeconds));
    proxy.recheck(address);
    exchange.withHeader("Cache-Control", "no-store").send(200, body(exchange, shared));
  }

  private void unshare(Exchange exchange) {
    PortAddress address = address(exchange);
    ports.unshare(address);
    proxy.recheck(address);
    exchange.sendNothing(204);
  }

  private void link(Exchange exchange) throws IOException {
    PortAddress address = address(exchange);
    Long wanted = exchange.json(LinkWish.class).expiresInSeconds();
    Pass pass = ports.link(address, Duration.ofSeconds(wanted == null ? LINK_SECONDS : wanted));
    String query = "?" + Credentials.LINK + "=" + pass.text();
    exchange
        .withHeader("Cache-Control", "no-store")
        .send(
            201,
            new LinkBody(
                url(exchange, address) + query,
                pathUrl(exchange, address) + query,
                pass.expiresAt()));
  }

  private PortAddress address(Exchange exchange) {
    return new PortAddress(
        lifecycle.require(exchange.path("box")).id(), PortRoutes.port(exchange.path("port")));
  }

  private static PortAccess access(String name) {
    return PortAccess.ofPublicName(name)
        .orElseThrow(
            () -> new IllegalArgumentException("access must be private, public, bearer or basic"));
  }

  private PortBody body(Exchange exchange, Shared shared) {
    SharedPort port = shared.port();
    boolean basic = port.access() == PortAccess.BASIC;
    return new PortBody(
        port.address().port(),
        port.access().publicName(),
        url(exchange, port.address()),
        pathUrl(exchange, port.address()),
        port.createdAt(),
        port.expiresAt(),
        shared.secret().filter(_ -> !basic),
        basic ? Optional.of(Credentials.BASIC_USER) : Optional.empty(),
        shared.secret().filter(_ -> basic));
  }

  private String url(Exchange exchange, PortAddress address) {
    return names.url(address, exchange.scheme(), exchange.authority());
  }

  private String pathUrl(Exchange exchange, PortAddress address) {
    return names.pathUrl(address, exchange.scheme(), exchange.authority());
  }

  record WantedBody(@Nullable String access, @Nullable Long expiresInSeconds) {}

  record LinkWish(@Nullable Long expiresInSeconds) {}

  record ListBody(List<PortBody> items) {}

  record PortBody(
      int port,
      String access,
      String url,
      String pathUrl,
      Instant createdAt,
      Optional<Instant> expiresAt,
      Optional<String> token,
      Optional<String> user,
      Optional<String> password) {
    @Override
    public String toString() {
      return "PortBody[" + port + ", " + access + "]";
    }
  }

  record LinkBody(String url, String pathUrl, Instant expiresAt) {
    @Override
    public String toString() {
      return "LinkBody[" + expiresAt + "]";
    }
  }
}
