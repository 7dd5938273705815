package dev.cove.edge.network;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.network.GroupMembership;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Which sandboxes reach each other by name. */
public final class GroupRoutes {
  private static final String GROUP = SandboxRoutes.ONE + "/group";

  private final SandboxLifecycle lifecycle;

  public GroupRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", GROUP, this::show),
        Route.of("PUT", GROUP, this::join),
        Route.of("DELETE", GROUP, this::leave));
  }

  private void show(Exchange exchange) {
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    GroupMembership own =
        sandbox
            .spec()
            .network()
            .membership()
            .orElseThrow(() ->
                new CoveException(
                    ErrorCode.NOT_FOUND, "Sandbox %s is in no group.".formatted(sandbox.id())));
    send(exchange, own);
  }

  private void send(Exchange exchange, GroupMembership own) {
    exchange.send(200, GroupBody.Shown.of(own, lifecycle.inGroup(own.group())));
  }

  private void join(Exchange exchange) throws IOException {
    GroupMembership wanted = exchange.json(GroupBody.class).toMembership();
    lifecycle.changeNetwork(exchange.path("box"), now -> now.in(Optional.of(wanted)));
    send(exchange, wanted);
  }

  private void leave(Exchange exchange) {
    lifecycle.changeNetwork(exchange.path("box"), now -> now.in(Optional.empty()));
    exchange.sendNothing(204);
  }
}
