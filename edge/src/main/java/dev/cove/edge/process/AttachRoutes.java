package dev.cove.edge.process;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.ServiceControl;
import dev.cove.edge.exec.CommandFields.Surroundings;
import dev.cove.edge.exec.OomWatch;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.Socket;
import dev.cove.edge.http.WebSockets;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.Command;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import java.io.IOException;
import java.util.List;

/** WebSockets onto commands: one that runs already, or one that the first message describes. */
public final class AttachRoutes {
  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;
  private final Node node;
  private final WebSockets sockets;
  private final ServiceControl services;

  public AttachRoutes(
      SandboxLifecycle lifecycle,
      ServiceControl services,
      AutomaticCheckpoints automatic,
      Node node,
      WebSockets sockets) {
    this.lifecycle = lifecycle;
    this.services = services;
    this.automatic = automatic;
    this.node = node;
    this.sockets = sockets;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/processes/{process}/attach", this::attach),
        Route.of("GET", SandboxRoutes.ONE + "/attach", this::start));
  }

  private void attach(Exchange exchange) {
    sockets.requireUpgrade(exchange);
    long id = ProcessRoutes.processId(exchange);
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    Guest guest = lifecycle.guest(sandbox.id().value());
    if (services.owns(sandbox.id(), id)) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "Process %d is a service, whose output goes into the sandbox's log; read that instead."
              .formatted(id));
    }
    OomWatch oom = OomWatch.start(node, sandbox.id());
    // Attached before the upgrade, so that a process that is not there is an ordinary 404.
    Command command = guest.attach(id);
    sockets.accept(exchange, socket -> talk(socket, command, oom), command::close);
  }

  private void start(Exchange exchange) {
    sockets.requireUpgrade(exchange);
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    lifecycle.awake(sandbox.id().value());
    sockets.accept(exchange, socket -> startAndTalk(socket, sandbox), () -> {});
  }

  private void startAndTalk(Socket socket, Sandbox sandbox)
      throws IOException, InterruptedException {
    Socket.Message first = socket.receive();
    switch (first) {
      case Socket.Message.End _ -> {}
      case Socket.Message.Binary _ ->
          throw new IllegalArgumentException("The first message must be text of type start");
      case Socket.Message.Text text -> {
        StartMessage message = Json.read(text.text(), StartMessage.class);
        var spec = message.toSpec(Surroundings.of(lifecycle, sandbox));
        Guest guest = lifecycle.guest(sandbox.id().value()); // it may have gone to rest meanwhile
        automatic.beforeCommand(sandbox, spec.argv());
        OomWatch oom = OomWatch.start(node, sandbox.id());
        talk(socket, Step.EXEC.run(() -> guest.start(spec)), oom);
      }
    }
  }

  private static void talk(Socket socket, Command command, OomWatch oom)
      throws IOException, InterruptedException {
    // Closing detaches from a command that is kept and kills any other.
    try (command) {
      new AttachedSocket(socket, command, oom).run();
    }
  }
}
