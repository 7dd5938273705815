package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/**
 * A server as users run it: its own process, its own home, a free port.
 *
 * <p>Register it as a static extension. Afterwards all its sandboxes are removed, the process is
 * ended, and {@link HostTraces} must find nothing of it. Classes that neither stop the server nor
 * need settings share one, which saves many starts and many templates.
 */
public final class RunningServer implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private static final RunningServer SHARED = withDefaults();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern URL = Pattern.compile("\"url\"\\s*:\\s*\"([^\"]+)\"");
  private static final String CGROUP_ROOT = "/sys/fs/cgroup/";

  private final Supplier<Map<String, String>> settings;
  private final Set<Path> cgroups = new HashSet<>();
  private @Nullable Path home;
  private @Nullable Process process;
  private @Nullable Cove cove;

  /** Whether a test of the class that is under way has failed, and so may not have tidied up. */
  private boolean failed;

  private final Optional<HomeDisk> disk;

  private RunningServer(Supplier<Map<String, String>> settings, Optional<HomeDisk> disk) {
    this.settings = settings;
    this.disk = disk;
  }

  /** The server of all classes that are content with any. */
  public static RunningServer shared() {
    return SHARED;
  }

  public static RunningServer withDefaults() {
    return with(Map.of());
  }

  /** A server with environment variables such as COVE_MAX_SANDBOXES. */
  public static RunningServer with(Map<String, String> settings) {
    return with(() -> settings);
  }

  /** The same, with settings that are known when it starts. */
  public static RunningServer with(Supplier<Map<String, String>> settings) {
    return new RunningServer(settings, Optional.empty());
  }

  /** The same, with its data on a disk of its own, which the test can spoil. */
  static RunningServer on(HomeDisk disk, Map<String, String> settings) {
    return new RunningServer(() -> settings, Optional.of(disk));
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    failed = false;
    if (this == SHARED) {
      if (home != null) {
        return;
      }
      // Closed when all classes of this process are done.
      AutoCloseable end = this::endShared;
      context
          .getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
          .put(RunningServer.class, end);
    }
    // Short, because the path of a Unix socket below it must fit in 108 bytes.
    home = Files.createTempDirectory("cove-e2e-");
    disk.ifPresent(own -> own.mountAt(home().resolve("data")));
    start();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    failed |= context.getExecutionException().isPresent();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (this == SHARED) {
      List<SandboxInfo> left = cove().sandboxes().list();
      left.forEach(box -> cove().sandboxes().delete(box.id()));
      if (!failed) {
        assertThat(left).as("sandboxes that %s left", context.getDisplayName()).isEmpty();
      }
    } else {
      endAndCheck();
    }
  }

  private void endShared() throws IOException {
    endAndCheck();
    home = null; // should anybody come after all, he gets a new one
  }

  private void endAndCheck() throws IOException {
    try {
      if (process == null || !process.isAlive()) {
        start();
      }
      for (SandboxInfo left : cove().sandboxes().list()) {
        cove().sandboxes().delete(left.id());
      }
      stop();
      disk.ifPresent(HomeDisk::close);
      HostTraces.of(home(), cgroups).assertNone();
      // Only now: below a mount that was left would be the host's own files.
      removeTree(home());
    } finally {
      endWhatIsLeft();
    }
  }

  /** After a failure nothing may go on running; the home stays for those who look for the cause. */
  private void endWhatIsLeft() throws IOException {
    if (process != null) {
      process.destroyForcibly();
    }
    disk.ifPresent(HomeDisk::close);
    for (Path group : cgroups) {
      if (!Files.isDirectory(group)) {
        continue;
      }
      try (var below = Files.walk(group)) {
        for (Path member : below.filter(Files::isDirectory).toList()) {
          for (String pid : Files.readAllLines(member.resolve("cgroup.procs"))) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
          }
        }
      }
    }
  }

  /** Starts the server process and waits until it is healthy. */
  public void start() throws IOException {
    start(launch());
  }

  /** The same, in another way: behind other programs, or with its output elsewhere. */
  void start(Consumer<ProcessBuilder> change) throws IOException {
    ProcessBuilder launch = launch();
    toLog(launch);
    change.accept(launch);
    begin(launch);
  }

  /** The same, with a fail point at which the server will end; {@link #awaitEnd} waits for that. */
  public void startArmed(String failPoint) throws IOException {
    ProcessBuilder launch = launch();
    launch.command().add(1, "-D" + FailPoint.PROPERTY + "=" + failPoint);
    start(launch);
  }

  /** The same for a point that is reached before the server is healthy. */
  public OptionalInt endsWhileStarting(String failPoint, Duration patience)
      throws IOException, InterruptedException {
    ProcessBuilder launch = launch();
    launch.command().add(1, "-D" + FailPoint.PROPERTY + "=" + failPoint);
    toLog(launch);
    launchProcess(launch);
    return awaitEnd(patience);
  }

  /** The same with a folder of resources that come before those of this build. */
  void startWith(Path resources) throws IOException {
    ProcessBuilder launch = launch();
    List<String> command = launch.command();
    int classPath = command.indexOf("-cp") + 1;
    command.set(classPath, resources + File.pathSeparator + command.get(classPath));
    command.removeIf(option -> option.contains("SharedArchive")); // made for another class path
    start(launch);
  }

  private void start(ProcessBuilder launch) throws IOException {
    toLog(launch);
    begin(launch);
  }

  private void toLog(ProcessBuilder launch) {
    launch
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
  }

  private Process launchProcess(ProcessBuilder launch) throws IOException {
    Files.deleteIfExists(address());
    Process started = launch.start();
    process = started;
    return started;
  }

  private void begin(ProcessBuilder launch) throws IOException {
    Process started = launchProcess(launch);
    Awaitility.await("the server to become healthy")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(address()) || !started.isAlive());
    assertThat(started.isAlive()).as("server runs; its log: %s", tailOfLog()).isTrue();
    cove = Cove.connect(url(), key());
    rememberCgroups();
  }

  /** The command that runs a server in this home, in the foreground. */
  public ProcessBuilder launch() {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Xmx384m"));
    command.addAll(FastStart.of("server"));
    command.addAll(List.of("dev.cove.server.ServerMain", "--port", "0"));
    var builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().putAll(environment());
    return builder;
  }

  /** The spawner is told where the home's cgroups are; nothing else need know it. */
  private void rememberCgroups() {
    HostProcesses.commandLine(HostProcesses.spawnerOf(pid())).stream()
        .filter(argument -> argument.startsWith(CGROUP_ROOT))
        .map(Path::of)
        .forEach(cgroups::add);
    assertThat(cgroups).as("cgroups of the server's home").isNotEmpty();
  }

  /** What the server ended with, if it does so within a while. */
  public OptionalInt awaitEnd(Duration patience) throws InterruptedException {
    Process running = process;
    if (running == null || !running.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(running.exitValue());
  }

  /** What it writes, where its output was not sent to the log. */
  InputStream output() {
    if (process == null) {
      throw new IllegalStateException("The server has not been started");
    }
    return process.getInputStream();
  }

  /** Those of this home, in which each sandbox has one of its own. */
  Set<Path> cgroups() {
    return Set.copyOf(cgroups);
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

  public Sandbox create() {
    return cove().sandboxes().create();
  }

  public Sandbox create(CreateOptions options) {
    return cove().sandboxes().create(options);
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

  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** What a client process needs to find this server. */
  public Map<String, String> environment() {
    var environment = new HashMap<>(settings.get());
    environment.putIfAbsent("COVE_E2B_BASE", "host"); // the other one takes minutes to make
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

  public static void removeTree(Path root) throws IOException {
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
