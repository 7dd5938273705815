package dev.cove.edge.file;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.GuestFiles.FileChange;
import dev.cove.guest.GuestFiles.FileWatch;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Changes of files as server-sent events. */
public final class WatchRoutes {
  private final SandboxLifecycle lifecycle;

  public WatchRoutes(SandboxLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", SandboxRoutes.ONE + "/files/watch", this::watch)
            .query("path", "recursive", "user"));
  }

  private void watch(Exchange exchange) throws IOException {
    String path = GuestPath.require("path", exchange.query().require("path"));
    boolean recursive = exchange.query().flag("recursive", false);
    try (FileWatch watch = SandboxFiles.of(lifecycle, exchange).watch(path, recursive)) {
      EventStream events = exchange.events();
      events.send("ready", new Nothing());
      var gone = new AtomicBoolean();
      try (ClientPresence _ = exchange.watchClient(() -> leave(watch, gone))) {
        pass(exchange, watch, events, gone);
      } catch (CoveException e) {
        if (!gone.get()) {
          events.send("error", Problem.of(e, "file watch"));
        }
      }
    }
  }

  private static void pass(
      Exchange exchange, FileWatch watch, EventStream events, AtomicBoolean gone)
      throws IOException {
    Pulse pulse = exchange.pulse(events);
    while (!gone.get()) {
      Optional<FileChange> change = watch.next(exchange.limits().tick());
      if (change.isPresent()) {
        events.send("change", ChangeBody.of(change.get()));
      }
      pulse.beat();
    }
  }

  // Closing the watch wakes the thread that waits for the next change.
  private static void leave(FileWatch watch, AtomicBoolean gone) {
    gone.set(true);
    watch.close();
  }

  record Nothing() {}

  record ChangeBody(String kind, String path) {
    static ChangeBody of(FileChange change) {
      // A file with another mode is another file to whoever copies it, so one word does for both.
      FileChange.Kind kind =
          change.kind() == FileChange.Kind.ATTRIBUTES ? FileChange.Kind.MODIFIED : change.kind();
      return new ChangeBody(kind.name().toLowerCase(Locale.ROOT), change.path());
    }
  }
}
