package dev.cove.edge.review;

import dev.cove.control.sandbox.Reviews;
import dev.cove.control.sandbox.Reviews.Located;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Route;
import dev.cove.edge.review.ApplyBody.ProjectBody;
import dev.cove.edge.review.ApplyBody.SelectionBody;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.node.NodeWorkspaces.Report;
import dev.cove.node.NodeWorkspaces.Which;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Changes in projects of the host. For operators alone: what they say is done to their host. */
public final class ChangeRoutes {
  private static final String ALL = SandboxRoutes.ONE + "/changes";
  private static final int USUAL_PAGE = 1_000;
  private static final int LARGEST_PAGE = 10_000;
  private static final int MOST_HIDDEN = 200;

  private final Reviews reviews;

  public ChangeRoutes(Reviews reviews) {
    this.reviews = reviews;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ALL, this::list)
            .query("project", "path", "limit", "after", "from", "to")
            .forOperators(),
        Route.of("GET", ALL + "/content", this::content)
            .query("project", "path", "version")
            .forOperators(),
        Route.of("GET", ALL + "/patch", this::patch)
            .query("project", "path", "from", "to")
            .forOperators(),
        Route.of("POST", ALL + "/apply", this::apply).forOperators(),
        Route.of("POST", ALL + "/discard", this::discard).forOperators(),
        Route.of("POST", ALL + "/undo", this::undo).forOperators(),
        Route.of("POST", ALL + "/recover", this::recover).forOperators());
  }

  private static List<TreePath> below(Exchange exchange) {
    return exchange.query().all("path").stream().map(Paths::parse).toList();
  }

  private void list(Exchange exchange) throws IOException {
    int limit = (int) exchange.query().number("limit", USUAL_PAGE, 1, LARGEST_PAGE);
    int from = (int) exchange.query().number("after", 0, 0, Integer.MAX_VALUE);
    String box = exchange.path("box");
    Optional<Integer> since = command(exchange, "from");
    Optional<String> project = exchange.query().find("project");
    Reviews.Listing listing =
        since.isPresent()
            ? reviews.between(box, project, since.get(), until(exchange), below(exchange))
            : reviews.changes(box, project, below(exchange));
    List<Located> all = listing.changes();
    List<ChangeBody> page = all.stream().skip(from).limit(limit).map(ChangeBody::of).toList();
    int end = Math.min(all.size(), from + page.size());
    exchange.sendLong(
        200,
        new ListBody(
            page,
            Optional.of(Integer.toString(end)).filter(_ -> end < all.size()),
            all.size(),
            listing.truncated(),
            reviews.hiddenPaths(box, MOST_HIDDEN).stream().map(TreePath::shown).toList()));
  }

  private static Optional<Integer> command(Exchange exchange, String name) {
    return exchange.query().find(name).isEmpty()
        ? Optional.empty()
        : Optional.of((int) exchange.query().number(name, 1, 1, Integer.MAX_VALUE));
  }

  private static Optional<Integer> until(Exchange exchange) {
    return command(exchange, "to");
  }

  /**
   * A page of changes.
   *
   * @param next where the next one begins, where there is one
   */
  record ListBody(
      List<ChangeBody> changes,
      Optional<String> next,
      int total,
      boolean truncated,
      List<String> hidden) {}

  private void content(Exchange exchange) {
    TreePath path = Paths.parse(exchange.query().require("path"));
    byte[] bytes =
        content(exchange, path)
            .orElseThrow(() ->
                new CoveException(
                    ErrorCode.NOT_FOUND, "That version has no file at %s.".formatted(path)));
    exchange.send(200, "application/octet-stream", bytes);
  }

  private Optional<byte[]> content(Exchange exchange, TreePath path) {
    String version = exchange.query().find("version").orElse("sandbox");
    String box = exchange.path("box");
    Optional<String> project = exchange.query().find("project");
    if (version.matches("@[1-9][0-9]{0,8}")) {
      int number = Integer.parseInt(version.substring(1));
      return reviews.contentBefore(box, project, path, number);
    }
    Which which =
        switch (version) {
          case "base" -> Which.BASE;
          case "sandbox" -> Which.SANDBOX;
          case "host" -> Which.HOST;
          default ->
              throw new IllegalArgumentException(
                  "Query parameter version must be base, sandbox, host or @ and a number");
        };
    return reviews.content(box, project, path, which);
  }

  private void patch(Exchange exchange) {
    Optional<Integer> since = command(exchange, "from");
    Optional<String> project = exchange.query().find("project");
    String box = exchange.path("box");
    exchange.send(
        200,
        "text/x-diff",
        since.isPresent()
            ? reviews.patchBetween(box, project, since.get(), until(exchange), below(exchange))
            : reviews.patch(box, project, below(exchange)));
  }

  private void apply(Exchange exchange) throws IOException {
    ApplyBody body = exchange.json(ApplyBody.class);
    send(exchange, reviews.apply(exchange.path("box"), body.target(), body.toWish()));
  }

  private static void send(Exchange exchange, Report report) {
    ReportBody body = ReportBody.of(report);
    if (report.conflicts().isEmpty()) {
      exchange.send(200, body);
    } else {
      exchange.send(ReportBody.CONFLICT, Problem.MEDIA_TYPE, Json.write(body));
    }
  }

  private void discard(Exchange exchange) throws IOException {
    SelectionBody body = exchange.json(SelectionBody.class);
    var done = reviews.discard(exchange.path("box"), body.target(), body.below());
    exchange.send(
        200,
        new DiscardedBody(
            done.paths().stream().map(TreePath::shown).toList(), done.undo().id().value()));
  }

  /**
   * What was dropped.
   *
   * @param checkpoint the state before
   */
  record DiscardedBody(List<String> discarded, String checkpoint) {}

  private void undo(Exchange exchange) throws IOException {
    ProjectBody body = exchange.json(ProjectBody.class);
    send(exchange, reviews.undo(exchange.path("box"), body.target()));
  }

  private void recover(Exchange exchange) throws IOException {
    ProjectBody body = exchange.json(ProjectBody.class);
    send(
        exchange,
        reviews
            .recover(exchange.path("box"), body.target())
            .orElse(new Report(Optional.empty(), List.of(), List.of(), List.of(), List.of())));
  }
}
