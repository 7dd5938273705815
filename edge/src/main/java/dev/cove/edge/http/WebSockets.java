package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.jspecify.annotations.Nullable;

/** Turns an exchange into a WebSocket. */
public final class WebSockets {
  private static final Duration OPENING = Duration.ofSeconds(10);

  private final AtomicInteger open = new AtomicInteger();
  private final int limit;
  private @Nullable ServerWebSocketContainer container;

  public WebSockets(HttpLimits limits) {
    this.limit = limits.sockets();
  }

  void install(Server server) {
    var installed = ServerWebSocketContainer.ensure(server);
    // Sockets keep their own time: see Socket.
    installed.setIdleTimeout(Duration.ZERO);
    installed.setMaxOutgoingFrames(16);
    container = installed;
  }

  /** Refuses what is not an upgrade, or not one that we want. Call before doing work for it. */
  public void requireUpgrade(Exchange exchange) {
    if (exchange.header("Upgrade").filter("websocket"::equalsIgnoreCase).isEmpty()) {
      throw new HttpRefusal(
          426,
          ErrorCode.INVALID_REQUEST,
          "This path speaks WebSocket only",
          Map.of("Upgrade", "websocket"));
    }
    Optional<String> origin = exchange.header("Origin");
    String host = exchange.header("Host").orElse("");
    if (origin.isPresent() && !HostCheck.isSameOrigin(origin.get(), host)) {
      throw new HttpRefusal(
          403, ErrorCode.INVALID_REQUEST, "Web pages of other sites may not open this WebSocket");
    }
    if (open.get() >= limit) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "All %d WebSockets are in use; try again later".formatted(limit));
    }
  }

  /**
   * Upgrades and runs the endpoint on a thread of its own.
   *
   * @param unused what to do when the socket never opens
   */
  public void accept(Exchange exchange, SocketEndpoint endpoint, Runnable unused) {
    ServerWebSocketContainer upgrades = container;
    if (upgrades == null) {
      throw new IllegalStateException("WebSockets are not installed in a server");
    }
    var opening = new CompletableFuture<Void>();
    var _ =
        opening
            .orTimeout(OPENING.toSeconds(), TimeUnit.SECONDS)
            .whenComplete((_, failure) -> {
              if (failure != null) {
                unused.run();
              }
            });
    var socket = new Socket(exchange.limits(), exchange.caller());
    var listener = new SocketListener(socket, endpoint, opening, open);
    boolean taken = false;
    try {
      taken =
          exchange.handOver((request, response, callback) ->
              upgrades.upgrade((_, _, _) -> listener, request, response, callback));
    } finally {
      if (!taken) {
        opening.cancel(false);
      }
    }
    if (!taken) {
      throw new HttpRefusal(
          400, ErrorCode.INVALID_REQUEST, "The WebSocket handshake is not well-formed");
    }
  }
}
