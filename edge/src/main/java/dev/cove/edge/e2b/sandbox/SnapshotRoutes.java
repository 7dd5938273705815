package dev.cove.edge.e2b.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.Timeouts;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** States of sandboxes that others begin with: our checkpoints, and forks. */
public final class SnapshotRoutes {
  private static final int MOST_FORKS = 100;
  private static final int MOST_LISTED = 100;

  private final Branches branches;
  private final Snapshots snapshots;
  private final Envd envd;
  private final Handles handles;
  private final Timeouts timeouts;

  public SnapshotRoutes(
      Branches branches, Snapshots snapshots, Envd envd, Handles handles, Timeouts timeouts) {
    this.branches = branches;
    this.snapshots = snapshots;
    this.envd = envd;
    this.handles = handles;
    this.timeouts = timeouts;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", SandboxRoutes.ONE + "/snapshots", this::take),
        Route.of("POST", SandboxRoutes.ONE + "/fork", this::fork),
        Route.of("GET", E2bDialect.ROOT + "/snapshots", this::list)
            .query("sandboxID", "name", "limit", "nextToken"));
  }

  record TakeBody(@Nullable String name) {}

  record ForkBody(@Nullable Integer count, @Nullable Long timeout) {}

  record Body(String snapshotID, List<String> names) {
    static Body of(Checkpoint snapshot) {
      return new Body(
          snapshot.id().value(), snapshot.name().isEmpty() ? List.of() : List.of(snapshot.name()));
    }
  }

  private void take(Exchange exchange) throws IOException {
    String name = Optional.ofNullable(exchange.looseJson(TakeBody.class).name()).orElse("");
    Sandbox sandbox = envd.named(exchange);
    exchange.send(201, Body.of(branches.checkpoint(sandbox.id().value(), name)));
  }

  private void list(Exchange exchange) {
    var query = exchange.query();
    int limit = (int) query.number("limit", MOST_LISTED, 1, MOST_LISTED);
    Optional<String> sandbox = query.find("sandboxID").map(Envd::withoutClient);
    Optional<String> name = query.find("name");
    List<Checkpoint> found =
        snapshots.newestFirst().stream()
            .filter(one -> sandbox.map(one.sandbox().value()::equals).orElse(true))
            .filter(one -> name.map(one.name()::equals).orElse(true))
            .toList();
    Optional<String> last = query.find("nextToken").filter(token -> !token.isEmpty());
    if (last.isPresent()) {
      List<String> ids = found.stream().map(one -> one.id().value()).toList();
      found = found.subList(ids.indexOf(last.get()) + 1, found.size());
    }
    List<Checkpoint> page = found.subList(0, Math.min(limit, found.size()));
    if (page.size() < found.size()) {
      exchange.withHeader("X-Next-Token", page.getLast().id().value());
    }
    exchange.send(200, page.stream().map(Body::of).toList());
  }

  /** One that was made, or why it was not. */
  record Child(Optional<Handles.Handle> sandbox, Optional<Failure> error) {}

  record Failure(int code, String message) {}

  private void fork(Exchange exchange) throws IOException {
    ForkBody body = exchange.looseJson(ForkBody.class);
    int count = body.count() == null ? 1 : body.count();
    Fields.between("count", count, 1, MOST_FORKS);
    Duration timeout = Timeouts.require(body.timeout(), Timeouts.USUAL);
    Sandbox sandbox = envd.named(exchange);
    if (!Bodies.isRunning(sandbox)) {
      throw new CoveException(
          ErrorCode.CONFLICT, "Sandbox '%s' is paused; resume it first".formatted(sandbox.id()));
    }
    exchange.send(
        201,
        branches.fork(sandbox.id().value(), count).stream()
            .map(child -> child(exchange, child, timeout))
            .toList());
  }

  private Child child(Exchange exchange, Branches.Child child, Duration timeout) {
    return switch (child) {
      case Branches.Child.Made made -> {
        timeouts.resume(made.sandbox(), timeout);
        yield new Child(Optional.of(handles.of(exchange, made.sandbox())), Optional.empty());
      }
      case Branches.Child.Refused refused -> {
        Problem problem = Problem.of(refused.why(), "fork");
        yield new Child(
            Optional.empty(), Optional.of(new Failure(problem.status(), problem.detail())));
      }
    };
  }
}
