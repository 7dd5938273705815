package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.Timeouts;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sandboxes that rest, and that are taken out of it. */
public final class RestRoutes {
  /** For processes to end in order when their memory is not to be kept. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final SandboxLifecycle lifecycle;
  private final Envd envd;
  private final Handles handles;
  private final Timeouts timeouts;

  public RestRoutes(SandboxLifecycle lifecycle, Envd envd, Handles handles, Timeouts timeouts) {
    this.lifecycle = lifecycle;
    this.envd = envd;
    this.handles = handles;
    this.timeouts = timeouts;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", SandboxRoutes.ONE + "/pause", this::pause),
        Route.of("POST", SandboxRoutes.ONE + "/resume", this::resume),
        Route.of("POST", SandboxRoutes.ONE + "/timeout", this::setTimeout),
        Route.of("POST", SandboxRoutes.ONE + "/refreshes", this::refresh),
        Route.of("POST", SandboxRoutes.ONE + "/connect", this::connect),
        Route.of("POST", E2bDialect.ROOT + "/v2/sandboxes/{box}/connect", this::connect));
  }

  record PauseBody(@Nullable Boolean memory) {}

  record WakeBody(@Nullable Long timeout, @Nullable Boolean memory) {}

  private void pause(Exchange exchange) throws IOException {
    boolean memory = !Boolean.FALSE.equals(exchange.looseJson(PauseBody.class).memory());
    Sandbox sandbox = envd.named(exchange);
    String id = sandbox.id().value();
    if (!Bodies.isRunning(sandbox)) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "Error pausing sandbox - sandbox '%s' is already paused".formatted(id));
    }
    timeouts.suspend(sandbox);
    if (memory) {
      lifecycle.pause(id);
    } else {
      lifecycle.stop(id, StopReason.ASKED, GRACE);
    }
    exchange.sendNothing(204);
  }

  record TimeoutBody(@Nullable Long timeout) {}

  record RefreshBody(@Nullable Long duration) {}

  /** Nothing or less means at once, which takes a second here. */
  private void setTimeout(Exchange exchange) throws IOException {
    long seconds = Fields.require("timeout", exchange.looseJson(TimeoutBody.class).timeout());
    timeouts.set(envd.named(exchange), Timeouts.require(Math.max(1, seconds), Timeouts.USUAL));
    exchange.sendNothing(204);
  }

  private void refresh(Exchange exchange) throws IOException {
    Long seconds = exchange.looseJson(RefreshBody.class).duration();
    timeouts.extend(envd.named(exchange), Timeouts.require(seconds, Timeouts.USUAL_ONCE));
    exchange.sendNothing(204);
  }

  private void resume(Exchange exchange) throws IOException {
    WakeBody body = exchange.looseJson(WakeBody.class);
    Sandbox sandbox = envd.named(exchange);
    if (Bodies.isRunning(sandbox)) {
      throw new CoveException(
          ErrorCode.CONFLICT, "Sandbox '%s' is already running".formatted(sandbox.id()));
    }
    Duration timeout = Timeouts.require(body.timeout(), Timeouts.USUAL_ONCE);
    exchange.send(201, handles.of(exchange, wake(sandbox, body, timeout)));
  }

  private void connect(Exchange exchange) throws IOException {
    WakeBody body = exchange.looseJson(WakeBody.class);
    Duration timeout = Timeouts.require(body.timeout(), Timeouts.USUAL);
    Sandbox sandbox = envd.named(exchange);
    if (Bodies.isRunning(sandbox)) {
      timeouts.extend(sandbox, timeout);
      exchange.send(200, handles.of(exchange, sandbox));
    } else {
      exchange.send(201, handles.of(exchange, wake(sandbox, body, timeout)));
    }
  }

  private Sandbox wake(Sandbox sandbox, WakeBody body, Duration timeout) {
    String id = sandbox.id().value();
    if (!Bodies.isShown(sandbox)) {
      throw Envd.unknown(id);
    }
    if (Boolean.FALSE.equals(body.memory()) && sandbox.state() instanceof SandboxState.Paused) {
      lifecycle.stop(id, StopReason.ASKED, Duration.ZERO);
    }
    Sandbox awake = lifecycle.start(id);
    timeouts.resume(awake, timeout);
    return awake;
  }
}
