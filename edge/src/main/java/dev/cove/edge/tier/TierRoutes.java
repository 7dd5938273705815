package dev.cove.edge.tier;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.model.Tier;
import java.util.List;

/** Which tiers this server has, and what they really are. */
public final class TierRoutes {
  private final SandboxLifecycle lifecycle;

  public TierRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(Route.of("GET", "/api/v1/tiers", this::list));
  }

  private void list(Exchange exchange) {
    Tier usual = lifecycle.usualTier();
    exchange.send(
        200,
        new ListBody(
            lifecycle.tiers().entrySet().stream()
                .map(
                    entry -> TierBody.of(entry.getKey(), entry.getValue(), entry.getKey() == usual))
                .toList()));
  }

  record ListBody(List<TierBody> items) {}
}
