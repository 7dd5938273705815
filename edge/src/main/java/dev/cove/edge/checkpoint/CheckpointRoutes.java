package dev.cove.edge.checkpoint;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxBody;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes that lead to checkpoints and back. */
public final class CheckpointRoutes {
  static final String ALL = "/api/v1/checkpoints";
  private static final String ONE = ALL + "/{checkpoint}";
  private static final String OF_BOX = SandboxRoutes.ONE + "/checkpoints";

  private final Branches branches;
  private final Checkpoints checkpoints;

  public CheckpointRoutes(Branches branches, Checkpoints checkpoints) {
    this.branches = branches;
    this.checkpoints = checkpoints;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", OF_BOX, this::take),
        Route.of("GET", OF_BOX, this::listOfBox),
        Route.of("GET", ALL, this::list),
        Route.of("GET", ONE, this::show),
        Route.of("DELETE", ONE, this::delete),
        Route.of("POST", ONE + "/fork", this::forkCheckpoint),
        Route.of("POST", SandboxRoutes.ONE + "/restore", this::restore),
        Route.of("POST", SandboxRoutes.ONE + "/fork", this::fork));
  }

  private void take(Exchange exchange) throws IOException {
    TakeBody body = exchange.json(TakeBody.class);
    Checkpoint made =
        branches.checkpoint(exchange.path("box"), body.name() == null ? "" : body.name());
    exchange.withHeader("Location", ALL + "/" + made.id()).send(201, body(made));
  }

  private void listOfBox(Exchange exchange) throws IOException {
    send(exchange, branches.checkpointsOf(exchange.path("box")));
  }

  private void list(Exchange exchange) throws IOException {
    send(exchange, checkpoints.list());
  }

  private void send(Exchange exchange, List<Checkpoint> found) throws IOException {
    exchange.sendLong(200, new ListBody(found.stream().map(this::body).toList()));
  }

  private CheckpointBody body(Checkpoint checkpoint) {
    return CheckpointBody.of(checkpoint, checkpoints.digest(checkpoint));
  }

  private void show(Exchange exchange) {
    exchange.send(200, body(checkpoints.require(exchange.path("checkpoint"))));
  }

  private void delete(Exchange exchange) {
    checkpoints.delete(exchange.path("checkpoint"));
    exchange.sendNothing(204);
  }

  private void restore(Exchange exchange) throws IOException {
    String checkpoint = Fields.require("checkpoint", exchange.json(RestoreBody.class).checkpoint());
    Branches.Restored restored = branches.restore(exchange.path("box"), checkpoint);
    exchange.send(
        200, new RestoredBody(SandboxBody.of(restored.sandbox()), restored.undo().id().value()));
  }

  private void fork(Exchange exchange) throws IOException {
    int count = count(exchange);
    sendChildren(exchange, branches.fork(exchange.path("box"), count));
  }

  private void forkCheckpoint(Exchange exchange) throws IOException {
    int count = count(exchange);
    sendChildren(exchange, branches.forkCheckpoint(exchange.path("checkpoint"), count));
  }

  private static int count(Exchange exchange) throws IOException {
    Integer count = exchange.json(ForkBody.class).count();
    return count == null ? 1 : count;
  }

  private static void sendChildren(Exchange exchange, List<Branches.Child> children)
      throws IOException {
    exchange.sendLong(
        200, new ForkedBody(children.stream().map(CheckpointRoutes::childBody).toList()));
  }

  private static ChildBody childBody(Branches.Child child) {
    return switch (child) {
      case Branches.Child.Made made ->
          new ChildBody(Optional.of(SandboxBody.of(made.sandbox())), Optional.empty());
      case Branches.Child.Refused refused ->
          new ChildBody(Optional.empty(), Optional.of(Problem.of(refused.why(), "fork")));
    };
  }

  record TakeBody(@Nullable String name) {}

  record RestoreBody(@Nullable String checkpoint) {}

  record ForkBody(@Nullable Integer count) {}

  record ListBody(List<CheckpointBody> items) {}

  record RestoredBody(SandboxBody sandbox, String undo) {}

  record ForkedBody(List<ChildBody> items) {}

  record ChildBody(Optional<SandboxBody> sandbox, Optional<Problem> problem) {}
}
