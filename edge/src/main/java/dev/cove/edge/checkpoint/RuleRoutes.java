package dev.cove.edge.checkpoint;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.edge.sandbox.WantedRules;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** When checkpoints of a sandbox come and go by themselves. */
public final class RuleRoutes {
  private static final String RULES = SandboxRoutes.ONE + "/checkpoint-rules";

  private final AutomaticCheckpoints automatic;

  public RuleRoutes(AutomaticCheckpoints automatic) {
    this.automatic = automatic;
  }

  public List<Route> routes() {
    return List.of(Route.of("GET", RULES, this::show), Route.of("PUT", RULES, this::change));
  }

  private void show(Exchange exchange) {
    exchange.send(200, RulesBody.of(automatic.rules(exchange.path("box"))));
  }

  private void change(Exchange exchange) throws IOException {
    CheckpointRules wanted = exchange.json(WantedRules.class).toRules();
    exchange.send(200, RulesBody.of(automatic.change(exchange.path("box"), wanted)));
  }

  record RulesBody(
      boolean beforeExec,
      Optional<Integer> everyMinutes,
      int keepAutomatic,
      Optional<Integer> maxAgeHours,
      boolean fromInside) {
    private static RulesBody of(CheckpointRules rules) {
      return new RulesBody(
          rules.beforeExec(),
          boxed(rules.everyMinutes()),
          rules.keepAutomatic(),
          boxed(rules.maxAgeHours()),
          rules.fromInside());
    }

    private static Optional<Integer> boxed(OptionalInt value) {
      return value.isPresent() ? Optional.of(value.getAsInt()) : Optional.empty();
    }
  }
}
