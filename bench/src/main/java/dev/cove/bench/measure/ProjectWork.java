package dev.cove.bench.measure;

import dev.cove.bench.peer.Command;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Project;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A sandbox on a large project of the host: opening it, comparing, applying, and git inside. */
final class ProjectWork implements Measurement {
  private static final int FOLDERS = 1_000;
  private static final int FILES = 100;
  private static final int FILE_BYTES = 20 * 1024;
  private static final int CROWD = 20;
  private static final int FEW = 5;
  private static final String TARGET = "/home/user/tree";

  /** A changed line in the first file of each of a hundred folders. */
  private static final String CHANGE_HUNDRED =
      "cd %s && for i in $(seq 0 99); do echo changed >> $i/0; done".formatted(TARGET);

  /** The same in each of all folders, which makes a thousand. */
  private static final String CHANGE_THOUSAND =
      "cd %s && for i in $(seq 0 999); do echo changed %%d >> $i/1; done".formatted(TARGET);

  @Override
  public String name() {
    return "projects";
  }

  @Override
  public String title() {
    return "A project of the host with 100,000 files and 2 GB";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    int rounds = Math.max(FEW, bench.effort().rounds() / 10);
    Path tree = makeTree(bench.folder("project"));
    bench.say("100,000 files stand");
    var findings = new ArrayList<Finding>();
    try (BenchServer server = bench.startServer(Map.of("COVE_POOL_SIZE", "0"))) {
      // All that the host has, for git uses as many threads as there are processors.
      CreateOptions plain =
          CreateOptions.defaults().cpus(Runtime.getRuntime().availableProcessors());
      CreateOptions with = plain.project(Project.of(tree.toString()).target(TARGET));
      findings.addAll(opened(server, plain, with, rounds));
      findings.addAll(remembered(server, plain, with));
      try (Sandbox box = server.cove().sandboxes().create(with)) {
        findings.addAll(git(box, tree, rounds));
        findings.addAll(reviewed(bench, server, box, rounds));
      }
    }
    return new Section(
        name(),
        title(),
        findings,
        List.of(
            "Creates are without warm cages, and come after one that has read all folders.",
            "git status is timed after one that was thrown away, here and there."));
  }

  /** What the files of one folder have in common, git keeps once. */
  private static Path makeTree(Path tree) throws IOException, InterruptedException {
    var random = new Random(7);
    byte[] content = new byte[FILE_BYTES];
    for (int folder = 0; folder < FOLDERS; folder++) {
      random.nextBytes(content);
      Path at = Files.createDirectory(tree.resolve(Integer.toString(folder)));
      for (int file = 0; file < FILES; file++) {
        Files.write(at.resolve(Integer.toString(file)), content);
      }
    }
    for (List<String> words :
        List.of(
            List.of("init", "-q"),
            List.of("add", "-A"),
            List.of(
                "-c",
                "user.name=bench",
                "-c",
                "user.email=bench@localhost",
                "commit",
                "-qm",
                "All"))) {
      var command = new ArrayList<>(List.of("git", "-C", tree.toString()));
      command.addAll(words);
      String _ = Command.require(Duration.ofMinutes(5), command);
    }
    return tree;
  }

  private static List<Finding> opened(
      BenchServer server, CreateOptions plain, CreateOptions with, int rounds) {
    var without = new ArrayList<Duration>();
    var open = new ArrayList<Duration>();
    var first = create(server, with);
    for (int i = 0; i < FEW; i++) {
      var _ = create(server, plain);
      var _ = create(server, with);
    }
    for (int i = 0; i < rounds; i++) {
      without.add(create(server, plain));
      open.add(create(server, with));
    }
    return List.of(
        new Timing("plain", "create without a project", Samples.of(without, 0)),
        new Timing("open", "create with the project", Samples.of(open, 0)),
        new Timing("first", "the first of them", Samples.of(List.of(first), 0)));
  }

  private static Duration create(BenchServer server, CreateOptions options) {
    var watch = new Stopwatch();
    try (Sandbox _ = server.cove().sandboxes().create(options)) {
      return watch.elapsed();
    }
  }

  private static List<Finding> remembered(
      BenchServer server, CreateOptions plain, CreateOptions with)
      throws IOException, InterruptedException {
    long less = taken(server, plain);
    long more = taken(server, with);
    return List.of(
        new Quantity("memory", "memory that the project adds", (double) (more - less), "KiB"));
  }

  /** Of each of some sandboxes. */
  private static long taken(BenchServer server, CreateOptions options)
      throws IOException, InterruptedException {
    long before = Machine.availableKilobytes();
    for (int i = 0; i < CROWD; i++) {
      var _ = server.cove().sandboxes().create(options);
    }
    long after = Machine.availableKilobytes();
    server.deleteAll(4);
    return (before - after) / CROWD;
  }

  private static List<Finding> git(Sandbox box, Path tree, int rounds)
      throws IOException, InterruptedException {
    var outside = new ArrayList<Duration>();
    var inside = new ArrayList<Duration>();
    List<String> here = List.of("git", "-C", tree.toString(), "status", "--porcelain");
    var there = dev.cove.sdk.Command.of("git", "-C", TARGET, "status", "--porcelain");
    String _ = Command.require(here);
    require(box, there);
    for (int i = 0; i < Math.min(rounds, 10); i++) {
      var watch = new Stopwatch();
      String _ = Command.require(here);
      outside.add(watch.elapsed());
      watch = new Stopwatch();
      require(box, there);
      inside.add(watch.elapsed());
    }
    return List.of(
        new Timing("git-host", "git status on the host", Samples.of(outside, 0)),
        new Timing("git", "git status inside", Samples.of(inside, 0)));
  }

  private static List<Finding> reviewed(
      Workbench bench, BenchServer server, Sandbox box, int rounds)
      throws IOException, InterruptedException {
    var diffs = new ArrayList<Duration>();
    require(box, dev.cove.sdk.Command.shell(CHANGE_HUNDRED));
    var _ = CliStart.run(bench, server, "diff", box.id());
    for (int i = 0; i < rounds; i++) {
      diffs.add(CliStart.run(bench, server, "diff", box.id()));
    }
    var applies = new ArrayList<Duration>();
    box.changes().apply(ApplyRequest.all());
    for (int i = 0; i < FEW; i++) {
      require(box, dev.cove.sdk.Command.shell(CHANGE_THOUSAND.formatted(i)));
      var watch = new Stopwatch();
      box.changes().apply(ApplyRequest.all());
      applies.add(watch.elapsed());
    }
    return List.of(
        new Timing("diff", "cove diff of 100 changed files", Samples.of(diffs, 0)),
        new Timing("apply", "apply of 1,000 files", Samples.of(applies, 0)));
  }

  private static void require(Sandbox box, dev.cove.sdk.Command command) throws IOException {
    var result = box.exec(command);
    if (result.exitCode() != 0) {
      throw new IOException("A command failed: " + result.stderr());
    }
  }
}
