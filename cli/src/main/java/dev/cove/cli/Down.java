package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.LocalServer;
import dev.cove.sdk.SandboxInfo;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Model.CommandSpec;

final class Down implements Callable<Integer> {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final int PARALLEL_DELETES = 8;

  private final Session session;

  private boolean all;

  private Down(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var down = new Down(session);
    return Description.of(
            down, "Stop the local server; sandboxes go on running, unless --all removes them.")
        .flag("--all", "Remove all sandboxes first.", () -> down.all = true)
        .build();
  }

  @Override
  public Integer call() throws InterruptedException {
    if (session.remote()) {
      throw new UserError("COVE_URL is set: 'cove down' stops the local server only");
    }
    var local = new LocalStart(session);
    if (all) {
      removeAll(local);
    }
    Optional<LocalServer> server = local.findAlive();
    if (server.isEmpty()) {
      session.note("No server runs here.");
      return ExitCode.OK;
    }
    stop(server.get());
    return ExitCode.OK;
  }

  /** Sandboxes outlive their server, so without one running it is started to remove them. */
  private void removeAll(LocalStart local) throws InterruptedException {
    boolean everRan =
        Files.exists(LocalServer.dataFolder(session.environment()).resolve("local.key"));
    if (local.findAlive().isEmpty()) {
      if (!everRan) {
        return;
      }
      local.ensureUp(OptionalInt.of(0));
    }
    try (Cove cove = session.connect()) {
      List<SandboxInfo> boxes = cove.sandboxes().list();
      try (var workers = Executors.newFixedThreadPool(PARALLEL_DELETES)) {
        List<Callable<Object>> deletes =
            boxes.stream().map(box -> Executors.callable(() -> delete(cove, box.id()))).toList();
        for (var done : workers.invokeAll(deletes)) {
          done.get();
        }
      } catch (ExecutionException e) {
        throw new UserError("Not all sandboxes could be removed: " + e.getCause(), e);
      }
      if (!boxes.isEmpty()) {
        session.note("Removed " + boxes.size() + (boxes.size() == 1 ? " sandbox." : " sandboxes."));
      }
    }
  }

  private static void delete(Cove cove, String id) {
    try {
      cove.sandboxes().delete(id);
    } catch (CoveApiException e) {
      if (e.status() != 404) {
        throw e;
      }
    }
  }

  private static void stop(LocalServer server) throws InterruptedException {
    Optional<ProcessHandle> process = ProcessHandle.of(server.pid());
    if (process.isEmpty()) {
      return;
    }
    process.get().destroy();
    try {
      process.get().onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new UserError(
          "The server (process "
              + server.pid()
              + ") did not stop in "
              + STOP_LIMIT.toSeconds()
              + " s",
          e);
    }
  }
}
