package dev.cove.edge.checkpoint;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

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
    CheckpointRules wanted = exchange.json(WantedBody.class).toRules();
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

  /** What is left out is as it usually is. */
  record WantedBody(
      @Nullable Boolean beforeExec,
      @Nullable Integer everyMinutes,
      @Nullable Integer keepAutomatic,
      @Nullable Integer maxAgeHours,
      @Nullable Boolean fromInside) {
    private CheckpointRules toRules() {
      return new CheckpointRules(
          Boolean.TRUE.equals(beforeExec),
          optional(everyMinutes),
          keepAutomatic == null ? CheckpointRules.DEFAULT.keepAutomatic() : keepAutomatic,
          optional(maxAgeHours),
          Boolean.TRUE.equals(fromInside));
    }

    private static OptionalInt optional(@Nullable Integer value) {
      return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
  }
}
