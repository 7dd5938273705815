package dev.cove.edge.checkpoint;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.sandbox.Inspection;
import dev.cove.control.view.Comparisons;
import dev.cove.control.view.View;
import dev.cove.edge.archive.ArchiveRoutes;
import dev.cove.edge.exec.GuestUser;
import dev.cove.edge.file.FileReading;
import dev.cove.edge.file.ListingBudget;
import dev.cove.edge.file.OpenFiles;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is in checkpoints, and how they differ. */
public final class CheckpointFileRoutes {
  private static final String ONE = CheckpointRoutes.ALL + "/{checkpoint}";
  private static final String FILES = ONE + "/files";
  private static final int DEFAULT_CHANGES = 1_000;

  private final Checkpoints checkpoints;
  private final Inspection inspection;
  private final FileReading reading;

  public CheckpointFileRoutes(
      Checkpoints checkpoints, Inspection inspection, ListingBudget listings) {
    this.checkpoints = checkpoints;
    this.inspection = inspection;
    this.reading = new FileReading(FILES, this::open, listings);
  }

  public List<Route> routes() {
    var routes = new ArrayList<>(reading.routes());
    routes.add(Route.of("GET", FILES + "/archive", this::pack).query("path", "user"));
    routes.add(Route.of("GET", ONE + "/diff", this::diff).query("to", "sandbox", "limit"));
    return List.copyOf(routes);
  }

  private OpenFiles open(Exchange exchange) {
    Checkpoint checkpoint = checkpoints.require(exchange.path("checkpoint"));
    String user =
        GuestUser.require(exchange.query().find("user").orElse(null), checkpoint.template());
    View view = inspection.open(checkpoint.id().value());
    return new OpenFiles(view.files(user), view::close);
  }

  private void pack(Exchange exchange) throws IOException {
    try (OpenFiles open = open(exchange)) {
      ArchiveRoutes.pack(exchange, open.files());
    }
  }

  private void diff(Exchange exchange) throws IOException {
    String from = exchange.path("checkpoint");
    Optional<String> to = exchange.query().find("to");
    Optional<String> sandbox = exchange.query().find("sandbox");
    int limit =
        (int) exchange.query().number("limit", DEFAULT_CHANGES, 1, Comparisons.MOST_CHANGES);
    if (to.isPresent() == sandbox.isPresent()) {
      throw new IllegalArgumentException(
          "Either to must name another checkpoint, or sandbox one that runs");
    }
    exchange.sendLong(
        200,
        DiffBody.of(
            to.isPresent()
                ? inspection.compare(from, to.get(), limit)
                : inspection.compareWithNow(from, sandbox.orElseThrow(), limit)));
  }
}
