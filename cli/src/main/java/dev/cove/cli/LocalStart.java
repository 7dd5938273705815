package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.LocalServer;
import dev.cove.sdk.ServerAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds the local server, or starts it in the background and waits until it is healthy. */
final class LocalStart {
  private static final Duration START_LIMIT = Duration.ofMinutes(1);
  private static final Duration POLL = Duration.ofMillis(15);
  private static final long LOG_LIMIT = 8L * 1024 * 1024;
  private static final int LOG_TAIL_LINES = 12;

  private final Session session;

  LocalStart(Session session) {
    this.session = session;
  }

  /** For verbs that should just work on a machine where nothing runs yet. */
  static Cove connectOrStart(Session session) {
    var local = new LocalStart(session);
    if (!session.remote() && local.findAlive().isEmpty()) {
      session.note("Starting the Cove server ...");
      local.ensureUp(OptionalInt.empty());
    }
    return session.connect();
  }

  /** The server whose process exists; it may not be healthy. */
  Optional<LocalServer> findAlive() {
    return LocalServer.find(session.environment())
        .filter(server -> Files.exists(Path.of("/proc/" + server.pid())));
  }

  /** Gives the healthy server, started if need be. Two callers at once start one server. */
  LocalServer ensureUp(OptionalInt port) {
    Path run = LocalServer.runFolder(session.environment());
    try {
      Files.createDirectories(run);
      Path lockFile = run.resolve("up.lock");
      try (FileChannel channel =
              FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        Optional<LocalServer> alive = findAlive().filter(server -> healthy(server.url()));
        return alive.isPresent() ? alive.get() : start(port);
      }
    } catch (IOException e) {
      throw new UserError("The server's files in " + run + " can't be written: " + reason(e), e);
    }
  }

  private LocalServer start(OptionalInt port) throws IOException {
    Path log = prepareLog();
    List<String> command = new ArrayList<>();
    // A session of its own: a Ctrl-C here or a closed terminal must not end the server.
    command.add("setsid");
    command.add(launcher());
    command.add("server");
    if (port.isPresent()) {
      command.add("--port");
      command.add(Integer.toString(port.getAsInt()));
    }
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .redirectErrorStream(true)
            .start();
    return awaitHealthy(process, log);
  }

  private LocalServer awaitHealthy(Process process, Path log) throws IOException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (System.nanoTime() < deadline) {
      // The server writes its address once it is healthy.
      Optional<LocalServer> server =
          LocalServer.find(session.environment()).filter(s -> s.pid() == process.pid());
      if (server.isPresent()) {
        return server.get();
      }
      if (!process.isAlive()) {
        throw new UserError("The server ended before it was ready.\n" + tail(log));
      }
      pause();
    }
    process.destroy();
    throw new UserError(
        "The server was not ready after " + START_LIMIT.toSeconds() + " s.\n" + tail(log));
  }

  private static void pause() {
    try {
      Thread.sleep(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("Interrupted while the server was starting.", e);
    }
  }

  private String launcher() {
    return session
        .launcher()
        .map(path -> path.toAbsolutePath().toString())
        .orElseThrow(() -> new UserError("A server can be started through the launcher only"));
  }

  /** One old log is kept, so that the log can't fill the disk over many starts. */
  private Path prepareLog() throws IOException {
    Path data = LocalServer.dataFolder(session.environment());
    Files.createDirectories(data);
    Path log = data.resolve("server.log");
    if (Files.exists(log) && Files.size(log) > LOG_LIMIT) {
      Files.move(log, data.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
    return log;
  }

  private static String tail(Path log) throws IOException {
    long size = Files.size(log);
    int want = (int) Math.min(size, 16 * 1024);
    try (FileChannel channel = FileChannel.open(log)) {
      var bytes = ByteBuffer.allocate(want);
      channel.read(bytes, size - want);
      String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      List<String> lines = text.lines().toList();
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size());
      return "The end of " + log + ":\n  " + String.join("\n  ", last);
    }
  }

  boolean healthy(URI url) {
    String key =
        ServerAddress.find(session.environment()).map(ServerAddress::apiKey).orElse("none");
    try (Cove cove = Cove.connect(url, key)) {
      return cove.healthy();
    }
  }

  static String reason(IOException e) {
    return e instanceof AccessDeniedException
        ? "permission denied (are you root?)"
        : String.valueOf(e.getMessage());
  }
}
