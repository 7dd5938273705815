package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** The command line as a process of its own. */
final class Cli {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How a run ended and what it wrote. */
  static final class Outcome {
    private final int exitCode;
    private final byte[] stdout;
    private final String stderr;

    Outcome(int exitCode, byte[] stdout, String stderr) {
      this.exitCode = exitCode;
      this.stdout = stdout;
      this.stderr = stderr;
    }

    int exitCode() {
      return exitCode;
    }

    byte[] stdoutBytes() {
      return stdout;
    }

    String stderr() {
      return stderr;
    }

    String stdout() {
      return new String(stdout, StandardCharsets.UTF_8);
    }

    Outcome succeeded() {
      assertThat(exitCode).as(stderr).isZero();
      return this;
    }
  }

  private final Map<String, String> environment;
  private final Path folder;

  private Cli(Map<String, String> environment, Path folder) {
    this.environment = environment;
    this.folder = folder;
  }

  static Cli of(RunningServer server) {
    return with(server.environment());
  }

  static Cli with(Map<String, String> environment) {
    return new Cli(environment, Path.of(""));
  }

  /** The same, started in that folder. */
  Cli in(Path where) {
    return new Cli(environment, where);
  }

  /** The same with one more variable. */
  Cli with(String name, String value) {
    var more = new HashMap<>(environment);
    more.put(name, value);
    return new Cli(Map.copyOf(more), folder);
  }

  /** With no input. */
  Outcome run(String... args) throws Exception {
    return await(start(InputStream.nullInputStream(), command("00", args)));
  }

  /** What {@code cove doctor} starts. */
  Outcome doctor(String... args) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(FastStart.of("server"));
    command.add("dev.cove.server.DoctorMain");
    command.addAll(List.of(args));
    return await(start(InputStream.nullInputStream(), command));
  }

  /** With this as its input. */
  Outcome pipe(InputStream input, String... args) throws Exception {
    return await(start(input, command("00", args)));
  }

  Running start(String... args) throws IOException {
    return start(InputStream.nullInputStream(), command("00", args));
  }

  /** In a terminal of that size. */
  Terminal inTerminal(int rows, int cols, String... args) throws IOException {
    var command = new ArrayList<>(List.of("env", "-C", folder.toAbsolutePath().toString()));
    command.addAll(command("11", args));
    return Terminal.open(rows, cols, environment, command);
  }

  static List<String> commandInTerminal(String... args) {
    return command("11", args);
  }

  /** A process whose streams are being taken care of. */
  record Running(Process process, FutureTask<byte[]> stdout, FutureTask<byte[]> stderr) {}

  private Running start(InputStream input, List<String> command) throws IOException {
    var builder = new ProcessBuilder(command).directory(folder.toAbsolutePath().toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COVE_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    Thread.ofPlatform().daemon().start(() -> feed(input, process));
    return new Running(
        process,
        inBackground(process.getInputStream()::readAllBytes),
        inBackground(process.getErrorStream()::readAllBytes));
  }

  private static void feed(InputStream input, Process process) {
    try (var stdin = process.getOutputStream()) {
      input.transferTo(stdin);
    } catch (IOException e) {
      // The process has no need of the rest; its outcome says whether that is well.
      assertThat(e).isNotNull();
    }
  }

  private static FutureTask<byte[]> inBackground(Callable<byte[]> reading) {
    var task = new FutureTask<>(reading);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  Outcome await(Running running) throws Exception {
    Process process = running.process();
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("the command line ends")
          .isTrue();
      String stderr = new String(running.stderr().get(), StandardCharsets.UTF_8);
      return new Outcome(process.exitValue(), running.stdout().get(), stderr);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * The signals are reset because a test run in the background has SIGINT ignored, and a JVM leaves
   * it so.
   */
  private static List<String> command(String tty, String... args) {
    var command = new ArrayList<>(List.of("env", "--default-signal=INT,QUIT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Dcove.tty=" + tty));
    command.addAll(FastStart.of("cli"));
    command.add("dev.cove.cli.Main");
    command.addAll(List.of(args));
    return command;
  }
}
