package dev.cove.edge.exec;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.Command;
import dev.cove.guest.Guest;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Runs a command and answers with how it went, at its end or as it goes. */
public final class ExecRoutes {
  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;
  private final Node node;
  private final OutputBudget budget;

  public ExecRoutes(
      SandboxLifecycle lifecycle, AutomaticCheckpoints automatic, Node node, OutputBudget budget) {
    this.lifecycle = lifecycle;
    this.automatic = automatic;
    this.node = node;
    this.budget = budget;
  }

  public List<Route> routes() {
    return List.of(Route.of("POST", SandboxRoutes.ONE + "/exec", this::exec));
  }

  private void exec(Exchange exchange) throws IOException, InterruptedException {
    ExecBody body = exchange.json(ExecBody.class);
    Optional<byte[]> input = body.input();
    Encoding encoding = body.outputEncoding();
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    var around = CommandFields.Surroundings.of(lifecycle, sandbox);
    var spec = body.fields().toSpec(around, input.isPresent(), Optional.empty(), false);
    Guest guest = lifecycle.guest(sandbox.id().value());
    automatic.beforeCommand(sandbox, spec.argv());
    OomWatch oom = OomWatch.start(node, sandbox.id());
    // Closing kills the command unless it has ended.
    try (Command command = Step.EXEC.run(() -> guest.start(spec))) {
      if (exchange.accepts("text/event-stream")) {
        new ExecEvents(exchange, command, encoding).run(input, oom);
      } else {
        new ExecReply(exchange, command, encoding, budget).run(input, oom);
      }
    }
  }
}
