package dev.cove.edge.review;

import dev.cove.control.sandbox.Reviews;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands with a checkpoint before each, what they changed, and the way back. */
public final class CommandRoutes {
  private final Reviews reviews;

  public CommandRoutes(Reviews reviews) {
    this.reviews = reviews;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/commands", this::list).query("limit"),
        Route.of("POST", SandboxRoutes.ONE + "/rewind", this::rewind));
  }

  private void list(Exchange exchange) {
    int limit = (int) exchange.query().number("limit", 100, 1, 1_000);
    exchange.send(
        200,
        new ListBody(
            reviews.commands(exchange.path("box"), limit).stream().map(CommandBody::of).toList()));
  }

  record ListBody(List<CommandBody> commands) {}

  /** A command, and what it changed. */
  record CommandBody(
      int number, List<String> command, Instant startedAt, String checkpoint, ChangesBody changes) {
    static CommandBody of(Reviews.Effect effect) {
      var command = effect.command();
      return new CommandBody(
          command.number(),
          command.command(),
          command.startedAt(),
          command.checkpoint().value(),
          new ChangesBody(effect.added(), effect.changed(), effect.deleted()));
    }
  }

  record ChangesBody(int added, int changed, int deleted) {}

  private void rewind(Exchange exchange) throws IOException {
    RewindBody body = exchange.json(RewindBody.class);
    int number = Fields.require("command", body.command());
    exchange.send(200, new RewoundBody(reviews.rewind(exchange.path("box"), number).id().value()));
  }

  record RewindBody(@Nullable Integer command) {}

  record RewoundBody(String checkpoint) {}
}
