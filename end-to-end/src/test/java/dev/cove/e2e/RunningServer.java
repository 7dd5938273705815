package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server as users run it: its own process, its own home, a free port.
 *
 * <p>Register it as a static extension. Afterwards all its sandboxes are removed, the process is
 * ended, and {@link HostTraces} must find nothing of it.
 */
public final class RunningServer implements BeforeAllCallback, AfterAllCallback {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern URL = Pattern.compile("\"url\"\\s*:\\s*\"([^\"]+)\"");

  private final Map<String, String> settings;
  private @Nullable Path home;
  private @Nullable Process process;
  private @Nullable Cove cove;

  private RunningServer(Map<String, String> settings) {
    this.settings = Map.copyOf(settings);
  }

  public static RunningServer withDefaults() {
    return new RunningServer(Map.of());
  }

  /** A server with environment variables such as COVE_MAX_SANDBOXES. */
  public static RunningServer with(Map<String, String> settings) {
    return new RunningServer(settings);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    // Short, because the path of a Unix socket below it must fit in 108 bytes.
    home = Files.createTempDirectory("cove-e2e-");
    start();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    try {
      if (process == null || !process.isAlive()) {
        start();
      }
      for (SandboxInfo left : cove().sandboxes().list()) {
        cove().sandboxes().delete(left.id());
      }
    } finally {
      stop();
    }
    HostTraces.of(home()).assertNone();
    removeTree(home());
  }

  /** Starts the server process and waits until it is healthy. */
  public void start() throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx384m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("dev.cove.server.ServerMain", "--port", "0"));
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    Files.deleteIfExists(address());
    Process started = builder.start();
    process = started;
    Awaitility.await("the server to become healthy")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(address()) || !started.isAlive());
    assertThat(started.isAlive()).as("server runs; its log: %s", tailOfLog()).isTrue();
    cove = Cove.connect(url(), key());
  }

  /** Ends the server in order; sandboxes stay. */
  public void stop() {
    end(false);
  }

  /** Ends the server with SIGKILL, as a crash would. */
  public void kill() {
    end(true);
  }

  private void end(boolean forcibly) {
    if (cove != null) {
      cove.close();
    }
    Process running = process;
    if (running == null) {
      return;
    }
    if (forcibly) {
      running.destroyForcibly();
    } else {
      running.destroy();
    }
    try {
      assertThat(running.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("the server ends when told to")
          .isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public Cove cove() {
    if (cove == null) {
      throw new IllegalStateException("The server has not been started");
    }
    return cove;
  }

  public Path home() {
    if (home == null) {
      throw new IllegalStateException("The server has no home yet");
    }
    return home;
  }

  public long pid() {
    if (process == null) {
      throw new IllegalStateException("The server has not been started");
    }
    return process.pid();
  }

  /** What a client process needs to find this server. */
  public Map<String, String> environment() {
    var environment = new HashMap<>(settings);
    environment.put("COVE_HOME", home().toString());
    return environment;
  }

  public URI url() {
    try {
      var matcher = URL.matcher(Files.readString(address()));
      if (!matcher.find()) {
        throw new IllegalStateException("server.json names no url");
      }
      return URI.create(matcher.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String key() {
    try {
      return Files.readString(home().resolve("data/local.key")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path log() {
    return home().resolve("server.log");
  }

  private Path address() {
    return home().resolve("run/server.json");
  }

  private String tailOfLog() throws IOException {
    List<String> lines = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
  }

  private static void removeTree(Path root) throws IOException {
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
