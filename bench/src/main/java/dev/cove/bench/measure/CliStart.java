package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Section;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a person waits for when typing a command. */
final class CliStart implements Measurement {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "cli";
  }

  @Override
  public String title() {
    return "Command line, start to end";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    try (BenchServer server = bench.startServer(Map.of())) {
      var rounds = new Rounds(Duration.ZERO);
      rounds.add("version", "cove version", () -> run(bench, server, "version"));
      rounds.add("ls", "cove ls", () -> run(bench, server, "ls"));
      rounds.run(2, bench.effort().cliStarts());
      return new Section(name(), title(), List.<Finding>copyOf(rounds.timings()), rounds.notes());
    }
  }

  /** How long a run of the command line takes, of which nothing is read. */
  static Duration run(Workbench bench, BenchServer server, String... words)
      throws IOException, InterruptedException {
    String verb = words[0];
    var command = new ArrayList<>(List.of(words));
    command.addFirst(bench.launcher().toString());
    ProcessBuilder builder = server.commandLine(command.toArray(String[]::new));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    var watch = new Stopwatch();
    Process process = builder.start();
    if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      process.toHandle().destroyForcibly();
      throw new IOException("cove " + verb + " did not end within " + LIMIT.toSeconds() + " s.");
    }
    Duration took = watch.elapsed();
    if (process.exitValue() != 0) {
      throw new IOException("cove " + verb + " ended with exit code " + process.exitValue() + ".");
    }
    return took;
  }
}
