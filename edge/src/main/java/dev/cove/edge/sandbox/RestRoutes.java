package dev.cove.edge.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.model.StopReason;
import java.time.Duration;
import java.util.List;

/**
 * Lets sandboxes rest and takes them out of it. Each is a wish for a state, and may be repeated.
 */
public final class RestRoutes {
  private static final int DEFAULT_GRACE_SECONDS = 10;
  private static final int MAX_GRACE_SECONDS = 50;

  private final SandboxLifecycle lifecycle;

  public RestRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", SandboxRoutes.ONE + "/pause", this::pause),
        Route.of("POST", SandboxRoutes.ONE + "/resume", this::resume),
        Route.of("POST", SandboxRoutes.ONE + "/stop", this::stop).query("grace", "wakes"),
        Route.of("POST", SandboxRoutes.ONE + "/start", this::start));
  }

  private void pause(Exchange exchange) {
    send(exchange, lifecycle.pause(exchange.path("box")));
  }

  private void resume(Exchange exchange) {
    send(exchange, lifecycle.resume(exchange.path("box")));
  }

  private void stop(Exchange exchange) {
    long grace = exchange.query().number("grace", DEFAULT_GRACE_SECONDS, 0, MAX_GRACE_SECONDS);
    StopReason reason =
        exchange.query().flag("wakes", false) ? StopReason.SHUT_DOWN : StopReason.ASKED;
    send(exchange, lifecycle.stop(exchange.path("box"), reason, Duration.ofSeconds(grace)));
  }

  private void start(Exchange exchange) {
    send(exchange, lifecycle.start(exchange.path("box")));
  }

  private static void send(Exchange exchange, Sandbox sandbox) {
    exchange.send(200, SandboxBody.of(sandbox));
  }
}
