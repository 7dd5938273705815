package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.ServerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What E2B's own client sees, as npm has it; needs node and npm. */
final class E2bClient implements Measurement {
  private static final String VERSION = "2.51.0";
  private static final int MEGABYTES = 1024;
  private static final int STREAMS = 200;

  @Override
  public String name() {
    return "e2b";
  }

  @Override
  public String title() {
    return "E2B's own client, version " + VERSION;
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    Path folder = bench.folder("e2b");
    List<String> install =
        List.of("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "e2b@" + VERSION);
    if (!said(new ProcessBuilder(install), folder, Map.of()).isPresent()) {
      return new Section(
          name(), title(), List.of(), List.of("Not measured: npm could not install e2b."));
    }
    Path script = folder.resolve("e2b.cjs");
    try (InputStream text = E2bClient.class.getResourceAsStream("/dev/cove/bench/e2b.cjs")) {
      if (text == null) {
        throw new IOException("The bench has no script e2b.cjs.");
      }
      Files.copy(text, script);
    }
    try (BenchServer server = bench.startServer(Map.of())) {
      List<String> node =
          List.of(
              "node",
              script.toString(),
              String.valueOf(bench.effort().rounds()),
              String.valueOf(MEGABYTES),
              String.valueOf(STREAMS));
      String lines =
          said(new ProcessBuilder(node), folder, environment(bench, server))
              .orElseThrow(() -> new IOException("E2B's client failed; see " + folder + "."));
      return new Section(name(), title(), findings(numbers(lines)), List.of());
    }
  }

  private static Map<String, String> environment(Workbench bench, BenchServer server)
      throws IOException, InterruptedException {
    var environment = new HashMap<String, String>();
    Process exports = server.commandLine(bench.launcher().toString(), "e2b", "env").start();
    try (var lines = exports.inputReader(StandardCharsets.UTF_8)) {
      lines
          .lines()
          .filter(line -> line.startsWith("export "))
          .map(line -> line.substring("export ".length()).split("=", 2))
          .forEach(pair -> environment.put(pair[0], pair[1]));
    }
    if (exports.waitFor() != 0) {
      throw new IOException("cove e2b env failed.");
    }
    environment.put("E2B_ENVD_RPC_CONNECTIONS", String.valueOf(2 * STREAMS));
    environment.put("SERVER_PID", String.valueOf(server.pid()));
    environment.put("NATIVE_URL", server.url().toString());
    environment.put(
        "NATIVE_KEY",
        ServerAddress.find(Map.of("COVE_HOME", server.home().toString()))
            .orElseThrow(() -> new IOException("The server wrote no address."))
            .apiKey());
    return environment;
  }

  /** What a program prints; nothing where it is missing or fails, which it tells in a log. */
  private static Optional<String> said(
      ProcessBuilder program, Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    program.directory(folder.toFile()).redirectError(folder.resolve("log").toFile());
    program.environment().putAll(environment);
    Process process;
    try {
      process = program.start();
    } catch (IOException _) {
      return Optional.empty();
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? Optional.of(said) : Optional.empty();
  }

  private static Map<String, List<Double>> numbers(String lines) {
    var numbers = new HashMap<String, List<Double>>();
    lines
        .lines()
        .map(line -> line.split(" "))
        .forEach(words ->
            numbers
                .computeIfAbsent(words[0], _ -> new ArrayList<>())
                .add(Double.parseDouble(words[1])));
    return numbers;
  }

  private static List<Finding> findings(Map<String, List<Double>> numbers) throws IOException {
    return List.of(
        timing("create", "Sandbox.create()", numbers),
        timing("native", "the same by our own API, with fetch", numbers),
        timing("run", "commands.run('true')", numbers),
        timing("streams", STREAMS + " commands that stream at once", numbers),
        speed("upload", numbers),
        speed("download", numbers),
        new Quantity(
            "memory",
            "most that the server's memory grew by both of them",
            only("memory", numbers),
            "MiB"));
  }

  private static Timing timing(String id, String what, Map<String, List<Double>> numbers) {
    List<Duration> times =
        numbers.getOrDefault(id, List.of()).stream()
            .map(millis -> Duration.ofNanos((long) (millis * 1e6)))
            .toList();
    return new Timing(id, what, Samples.of(times, 0));
  }

  private static Quantity speed(String id, Map<String, List<Double>> numbers) throws IOException {
    return new Quantity(
        id,
        "%s of %d MB".formatted(id, MEGABYTES),
        MEGABYTES * 1.048576 / (only(id, numbers) / 1e3),
        "MB per s");
  }

  private static double only(String id, Map<String, List<Double>> numbers) throws IOException {
    List<Double> found = numbers.getOrDefault(id, List.of());
    if (found.size() != 1) {
      throw new IOException("E2B's client said %s %d times.".formatted(id, found.size()));
    }
    return found.getFirst();
  }
}
