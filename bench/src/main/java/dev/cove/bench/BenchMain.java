package dev.cove.bench;

import dev.cove.bench.BenchOptions.UsageException;
import dev.cove.bench.measure.Machine;
import dev.cove.bench.measure.Measurement;
import dev.cove.bench.measure.Workbench;
import dev.cove.bench.peer.PeerStatus;
import dev.cove.bench.report.JsonText;
import dev.cove.bench.report.MachineLine;
import dev.cove.bench.report.PeerLine;
import dev.cove.bench.report.Report;
import dev.cove.bench.report.Section;
import dev.cove.bench.report.TableText;
import dev.cove.sdk.CoveException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What {@code cove bench} runs. */
public final class BenchMain {
  private static final String VERSION = "0.1.0";
  private static final int FAILED = 1;
  private static final int WRONG_USE = 2;

  private final PrintStream out;
  private final PrintStream err;
  private boolean measurementFailed;

  BenchMain(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] arguments) throws InterruptedException {
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.exit(new BenchMain(out, System.err).run(List.of(arguments)));
  }

  int run(List<String> arguments) throws InterruptedException {
    try {
      BenchOptions options = BenchOptions.parse(arguments);
      if (options.help()) {
        out.print(BenchOptions.USAGE);
        return 0;
      }
      return bench(options, options.launcher().orElseGet(BenchMain::requireLauncher));
    } catch (UsageException wrong) {
      err.println(wrong.getMessage());
      err.print(BenchOptions.USAGE);
      return WRONG_USE;
    } catch (IOException failure) {
      err.println("The bench could not be run: " + failure.getMessage());
      return FAILED;
    }
  }

  /**
   * The launcher that started us says so; else it stands at the top of the tree we were built in.
   */
  private static Path requireLauncher() {
    String started = System.getProperty("cove.launcher", "");
    if (!started.isEmpty()) {
      return Path.of(started);
    }
    URI here =
        URI.create(BenchMain.class.getProtectionDomain().getCodeSource().getLocation().toString());
    for (Path folder = Path.of(here).getParent(); folder != null; folder = folder.getParent()) {
      Path launcher = folder.resolve("cove");
      if (Files.isRegularFile(launcher) && Files.isExecutable(launcher)) {
        return launcher;
      }
    }
    throw new UsageException("The launcher was not found above " + here + ": name it with --cove.");
  }

  private int bench(BenchOptions options, Path launcher) throws IOException, InterruptedException {
    var sections = new ArrayList<Section>();
    MachineLine machine = Machine.describe();
    List<PeerLine> peers;
    try (Workbench bench = Workbench.open(launcher, options.effort(), err::println)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> takeDown(bench), "bench-take-down"));
      peers = bench.peerStatuses().stream().map(PeerStatus::line).toList();
      show(options, "\n" + TableText.heading(VERSION, machine, peers));
      for (Measurement measurement : options.chosen()) {
        err.println("Measuring: " + measurement.title());
        Section section = measure(measurement, bench);
        sections.add(section);
        show(options, TableText.section(section)); // the whole may take many minutes
      }
    }
    Report report = Report.of(VERSION, machine, peers, sections);
    out.print(options.json() ? JsonText.of(report) : TableText.figures(report));
    boolean failed = measurementFailed || (options.check() && report.missesAFigure());
    return failed ? FAILED : 0;
  }

  /** A document cannot be read before it is whole, and is written at the end. */
  private void show(BenchOptions options, String text) {
    if (!options.json()) {
      out.print(text);
      out.flush();
    }
  }

  /** One measurement that fails is reported as such and does not cost the others. */
  private Section measure(Measurement measurement, Workbench bench) throws InterruptedException {
    try {
      return measurement.measure(bench);
    } catch (IOException | CoveException failure) {
      measurementFailed = true;
      return new Section(
          measurement.name(),
          measurement.title(),
          List.of(),
          List.of("Could not be measured: " + failure.getMessage()));
    }
  }

  /** For Ctrl-C: the run itself closes the bench when it gets to its end. */
  private void takeDown(Workbench bench) {
    if (!bench.isOpen()) {
      return;
    }
    err.println("Removing what the bench made.");
    try {
      bench.close();
    } catch (IOException failure) {
      err.println(failure.getMessage());
    }
  }
}
