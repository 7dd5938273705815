package dev.cove.edge.process;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.exec.CommandFields.Surroundings;
import dev.cove.edge.exec.Signals;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.Command;
import dev.cove.guest.Guest;
import dev.cove.guest.ProcessInfo;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.observe.Step;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts, lists, signals and forgets commands that outlive their request. */
public final class ProcessRoutes {
  private static final String ALL = SandboxRoutes.ONE + "/processes";
  private static final String ONE = ALL + "/{process}";

  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;

  public ProcessRoutes(SandboxLifecycle lifecycle, AutomaticCheckpoints automatic) {
    this.lifecycle = lifecycle;
    this.automatic = automatic;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::start),
        Route.of("GET", ALL, this::list),
        Route.of("GET", ONE, this::show),
        Route.of("DELETE", ONE, this::forget),
        Route.of("POST", ONE + "/signal", this::signal));
  }

  private void start(Exchange exchange) throws IOException {
    StartBody body = exchange.json(StartBody.class);
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    var spec = body.toSpec(Surroundings.of(lifecycle, sandbox), true);
    Guest guest = lifecycle.guest(sandbox.id().value());
    automatic.beforeCommand(sandbox, spec.argv());
    // Closing detaches; the command runs on.
    try (Command command = Step.EXEC.run(() -> guest.start(spec))) {
      exchange.send(201, ProcessBody.of(require(guest, command.processId())));
    }
  }

  private void list(Exchange exchange) {
    Guest guest = lifecycle.guest(exchange.path("box"));
    exchange.send(200, new ListBody(guest.processes().stream().map(ProcessBody::of).toList()));
  }

  private void show(Exchange exchange) {
    Guest guest = lifecycle.guest(exchange.path("box"));
    exchange.send(200, ProcessBody.of(require(guest, processId(exchange))));
  }

  private void forget(Exchange exchange) {
    long id = processId(exchange);
    lifecycle.guest(exchange.path("box")).forget(id);
    exchange.sendNothing(204);
  }

  private void signal(Exchange exchange) throws IOException {
    long id = processId(exchange);
    SignalBody body = exchange.json(SignalBody.class);
    int signal = Signals.require(Fields.require("signal", body.signal()));
    boolean group = body.group() == null || body.group();
    lifecycle.guest(exchange.path("box")).signal(id, signal, group);
    exchange.sendNothing(204);
  }

  private static ProcessInfo require(Guest guest, long id) {
    return guest.processes().stream()
        .filter(process -> process.processId() == id)
        .findFirst()
        .orElseThrow(() -> unknown(id));
  }

  /** The number in the path; what is no number names no process. */
  static long processId(Exchange exchange) {
    String text = exchange.path("process");
    if (!text.matches("[0-9]{1,18}")) {
      throw new CoveException(ErrorCode.NOT_FOUND, "A process is named by its number");
    }
    return Long.parseLong(text);
  }

  private static CoveException unknown(long id) {
    return new CoveException(ErrorCode.NOT_FOUND, "There is no process " + id);
  }

  record ListBody(List<ProcessBody> items) {}

  /**
   * @param signal a name or a number
   */
  record SignalBody(@Nullable Object signal, @Nullable Boolean group) {}
}
