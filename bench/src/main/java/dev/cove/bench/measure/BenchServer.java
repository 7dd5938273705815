package dev.cove.bench.measure;

import dev.cove.bench.peer.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.ServerAddress;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A throw-away server, started by the launcher as a user would start it. */
final class BenchServer implements Closeable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL_PAUSE = Duration.ofMillis(2);
  private static final int TIDY_CLIENTS = 8;
  private static final Pattern PID = Pattern.compile("\"pid\"\\s*:\\s*(\\d+)");

  private final Path launcher;
  private final Path home;
  private final Path log;
  private final URI url;
  private final Process process;
  private final Map<String, String> settings;
  private final Stopwatch watch;
  private Duration healthyAfter = Duration.ZERO;
  private @Nullable Cove cove;
  private boolean closed;

  private BenchServer(
      Path launcher,
      Path home,
      Path log,
      URI url,
      Process process,
      Map<String, String> settings,
      Stopwatch watch) {
    this.launcher = launcher;
    this.home = home;
    this.log = log;
    this.url = url;
    this.process = process;
    this.settings = settings;
    this.watch = watch;
  }

  /**
   * Starts the process.
   *
   * @param settings environment variables of the server, such as the size of its pool
   */
  static BenchServer launch(Path launcher, Path home, Map<String, String> settings)
      throws IOException {
    int port = freePort();
    Path log = Path.of(home + ".log");
    // In a session of its own: Ctrl-C must not end it before its sandboxes have been deleted.
    var builder =
        new ProcessBuilder("setsid", launcher.toString(), "server", "--port", String.valueOf(port));
    setEnvironment(builder, home);
    builder.environment().putAll(settings);
    builder.redirectInput(new File("/dev/null")).redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    var watch = new Stopwatch();
    Process process = builder.start();
    return new BenchServer(
        launcher, home, log, URI.create("http://127.0.0.1:" + port), process, settings, watch);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Points a program at this home, whatever server the user's own environment names. */
  private static void setEnvironment(ProcessBuilder builder, Path home) {
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("COVE_") && !name.equals("COVE_JAVA_HOME"));
    builder.environment().put("COVE_HOME", home.toString());
    builder.environment().put("COVE_E2B_BASE", "host"); // so that nothing is built meanwhile
  }

  void awaitHealthy() throws IOException, InterruptedException {
    while (!isHealthy()) {
      if (!process.isAlive()) {
        throw new IOException(
            "The server ended with exit code " + process.exitValue() + ": " + lastWords());
      }
      if (watch.elapsed().compareTo(START_LIMIT) > 0) {
        throw new IOException(
            "The server was not healthy after " + START_LIMIT.toSeconds() + " s: " + lastWords());
      }
      Thread.sleep(POLL_PAUSE);
    }
    healthyAfter = watch.elapsed();
    ServerAddress address = awaitAddress();
    cove = Cove.connect(address.url(), address.apiKey());
  }

  private boolean isHealthy() {
    try {
      var connection = (HttpURLConnection) url.resolve("/healthz").toURL().openConnection();
      connection.setConnectTimeout(1_000);
      connection.setReadTimeout(1_000);
      try {
        return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
      } finally {
        connection.disconnect();
      }
    } catch (IOException _) {
      return false; // Nobody listens yet.
    }
  }

  /** The server may write its address a moment after it first answers. */
  private ServerAddress awaitAddress() throws IOException, InterruptedException {
    var since = new Stopwatch();
    while (since.elapsed().compareTo(START_LIMIT) < 0) {
      var address = ServerAddress.find(Map.of("COVE_HOME", home.toString()));
      if (address.isPresent()) {
        return address.get();
      }
      Thread.sleep(POLL_PAUSE);
    }
    throw new IOException("The server is healthy but wrote no address below " + home + ".");
  }

  private String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  Duration healthyAfter() {
    return healthyAfter;
  }

  URI url() {
    return url;
  }

  Path home() {
    return home;
  }

  Cove cove() {
    if (cove == null) {
      throw new IllegalStateException("The server is not healthy yet.");
    }
    return cove;
  }

  /** The pid of the server itself, which need not be that of the launcher. */
  long pid() throws IOException {
    Matcher matcher = PID.matcher(Files.readString(home.resolve("run/server.json")));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : process.pid();
  }

  /** A run of the command line against this server. */
  ProcessBuilder commandLine(String... words) {
    var builder = new ProcessBuilder(words);
    setEnvironment(builder, home);
    return builder;
  }

  /** Deletes whatever sandboxes there are. */
  void deleteAll(int clients) throws IOException, InterruptedException {
    List<String> ids = cove().sandboxes().list().stream().map(SandboxInfo::id).toList();
    Clients.each(clients, ids, cove().sandboxes()::delete);
  }

  /** Deletes the sandboxes, stops the server. Its folder goes with the scratch folder. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (process.isAlive() && cove != null) {
        deleteAll(TIDY_CLIENTS);
        cove.close();
      }
      stop();
    } catch (CoveException failure) {
      tearDown();
      throw new IOException("A bench server could not delete its sandboxes.", failure);
    } catch (InterruptedException interruption) {
      tearDown();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while stopping a bench server.", interruption);
    }
  }

  /** SIGKILL: what it was doing is done by half, and its sandboxes run on. */
  void kill() throws InterruptedException {
    closed = true;
    if (cove != null) {
      cove.close();
    }
    process.destroyForcibly().waitFor();
  }

  /** Another server on the home of this one, which has been killed. */
  BenchServer relaunch() throws IOException {
    Files.deleteIfExists(home.resolve("run/server.json"));
    return launch(launcher, home, settings);
  }

  private void stop() throws InterruptedException {
    process.toHandle().destroy();
    if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      process.toHandle().destroyForcibly();
      process.waitFor();
    }
  }

  /**
   * The last resort when the server does not answer: sandboxes outlive it, so the command line
   * removes them.
   */
  private void tearDown() throws IOException {
    process.toHandle().destroyForcibly();
    Command.tidy(List.of("env", "COVE_HOME=" + home, launcher.toString(), "down", "--remove"));
  }
}
