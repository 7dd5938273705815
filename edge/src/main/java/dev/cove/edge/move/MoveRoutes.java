package dev.cove.edge.move;

import dev.cove.control.build.Spool;
import dev.cove.control.build.Upload;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.move.Moves;
import dev.cove.control.sandbox.Branches;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The routes by which things leave for another machine, and arrive from one. */
public final class MoveRoutes {
  private static final String MEDIA_TYPE = "application/vnd.cove.export";

  private final Moves moves;
  private final Branches branches;
  private final Checkpoints checkpoints;
  private final Spool spool;

  public MoveRoutes(Moves moves, Branches branches, Checkpoints checkpoints, Spool spool) {
    this.moves = moves;
    this.branches = branches;
    this.checkpoints = checkpoints;
    this.spool = spool;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/export", this::exportSandbox),
        Route.of("GET", "/api/v1/checkpoints/{checkpoint}/export", this::exportCheckpoint),
        Route.of("GET", "/api/v1/templates/{template}/export", this::exportTemplate),
        Route.of("POST", "/api/v1/import", this::take).query("name"));
  }

  private void exportSandbox(Exchange exchange) throws IOException {
    try (Branches.Moment now = branches.moment(exchange.path("box"))) {
      send(exchange, moves.ofCheckpoint(now.checkpoint()));
    }
  }

  private void exportCheckpoint(Exchange exchange) throws IOException {
    send(exchange, moves.ofCheckpoint(checkpoints.require(exchange.path("checkpoint"))));
  }

  private void exportTemplate(Exchange exchange) throws IOException {
    send(exchange, moves.ofTemplate(exchange.path("template")));
  }

  private static void send(Exchange exchange, Moves.Export prepared) throws IOException {
    try (Moves.Export export = prepared) {
      exchange.withHeader("Content-Disposition", "attachment");
      exchange.withHeader("Cache-Control", "no-store");
      export.writeTo(exchange.stream(200, MEDIA_TYPE, OptionalLong.empty()));
    }
  }

  private void take(Exchange exchange) throws IOException {
    try (Upload file = spool.keep(exchange.body())) {
      exchange.send(201, body(moves.take(file, exchange.query().find("name"))));
    }
  }

  private static ImportedBody body(Moves.Imported imported) {
    return switch (imported) {
      case Moves.Imported.OfCheckpoint made ->
          new ImportedBody(
              "checkpoint", Optional.of(made.checkpoint().id().value()), Optional.empty());
      case Moves.Imported.OfTemplate made ->
          new ImportedBody("template", Optional.empty(), Optional.of(made.version().reference()));
    };
  }

  /** One of the two is there. */
  record ImportedBody(String kind, Optional<String> checkpoint, Optional<String> template) {}
}
