package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.LocalServer;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

final class Down implements Callable<Integer> {
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final int PARALLEL = 8;

  private final Session session;

  private boolean all;
  private boolean remove;

  private Down(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var down = new Down(session);
    return Description.of(
            down, "Stop the local server; sandboxes go on running, unless --all stops them too.")
        .flag(
            "--all",
            "Stop all sandboxes first, in order; they start again when they are used.",
            () -> down.all = true)
        .flag("--remove", "Remove all sandboxes first, with their files.", () -> down.remove = true)
        .build();
  }

  @Override
  public Integer call() throws InterruptedException {
    if (session.remote()) {
      throw new UserError("COVE_URL is set: 'cove down' stops the local server only");
    }
    var local = new LocalStart(session);
    if (remove) {
      forAll(local, "Removed", Sandbox::deleteNow);
    } else if (all) {
      forAll(local, "Stopped", Down::stopInOrder);
    }
    Optional<LocalServer> server = local.findAlive();
    if (server.isEmpty()) {
      session.note("No server runs here.");
      return ExitCode.OK;
    }
    stop(server.get());
    return ExitCode.OK;
  }

  private static void stopInOrder(Sandbox box) {
    String state = box.info().state();
    if (state.equals("running") || state.equals("paused")) {
      box.stop(GRACE, true);
    }
  }

  /** Sandboxes outlive their server, so without one running it is started for this. */
  private void forAll(LocalStart local, String done, Consumer<Sandbox> work)
      throws InterruptedException {
    boolean everRan =
        Files.exists(LocalServer.dataFolder(session.environment()).resolve("local.key"));
    if (local.findAlive().isEmpty()) {
      if (!everRan) {
        return;
      }
      local.ensureUp(OptionalInt.of(0));
    }
    List<SandboxInfo> boxes;
    try (Cove cove = session.in("*").connect()) {
      boxes = cove.sandboxes().list();
    }
    Map<String, List<SandboxInfo>> byProject =
        boxes.stream().collect(Collectors.groupingBy(SandboxInfo::project));
    for (var project : byProject.entrySet()) {
      forEach(project.getKey(), project.getValue(), work);
    }
    if (!boxes.isEmpty()) {
      String noun = boxes.size() == 1 ? " sandbox." : " sandboxes.";
      session.note(done + " " + boxes.size() + noun);
    }
  }

  private void forEach(String project, List<SandboxInfo> boxes, Consumer<Sandbox> work)
      throws InterruptedException {
    try (Cove cove = session.in(project).connect();
        var workers = Executors.newFixedThreadPool(PARALLEL)) {
      List<Callable<Object>> calls =
          boxes.stream().map(box -> Executors.callable(() -> one(cove, box.id(), work))).toList();
      for (var call : workers.invokeAll(calls)) {
        call.get();
      }
    } catch (ExecutionException e) {
      throw new UserError("Not with all sandboxes did it work: " + e.getCause(), e);
    }
  }

  private static void one(Cove cove, String id, Consumer<Sandbox> work) {
    try {
      work.accept(cove.sandboxes().require(id));
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
