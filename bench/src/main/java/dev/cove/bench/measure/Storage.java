package dev.cove.bench.measure;

import dev.cove.bench.peer.ContainerEngine;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Fork;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checkpoints, restores and forks of a sandbox in which much was written. */
final class Storage implements Measurement {
  private static final int FORKS = 100;
  private static final int COMMITS = 3;
  private static final int CLIENTS = 16;
  private static final Duration SETTLE = Duration.ofSeconds(3);

  /** 20,000 files of 25 KiB, which is 500 MB. */
  private static final String FILL =
      """
      import os
      block = os.urandom(25600)
      for folder in range(200):
          os.makedirs('/home/user/tree/%d' % folder)
          for file in range(100):
              with open('/home/user/tree/%d/%d' % (folder, file), 'wb') as out:
                  out.write(block)
      os.sync()
      """;

  private static final String CHANGE =
      "for i in $(seq 100); do echo changed >> /home/user/tree/$i/7; done";

  @Override
  public String name() {
    return "checkpoint";
  }

  @Override
  public String group() {
    return "storage";
  }

  @Override
  public String title() {
    return "Checkpoint, restore and fork, 20,000 files and 500 MB written";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    int rounds = Math.max(10, bench.effort().rounds() / 10);
    var notes =
        new ArrayList<>(
            List.of(
                "The sandbox stands on the template host.",
                "Disk is the fall of the free space of the server's disk, memory that of"
                    + " MemAvailable."));
    var findings = new ArrayList<Finding>();
    try (BenchServer server =
            bench.startServer(Map.of("COVE_MAX_SANDBOXES", String.valueOf(FORKS + 50)));
        Sandbox box = server.cove().sandboxes().create()) {
      practise(server, bench.effort().practice() / 10);
      require(box, Command.of("python3", "-c", FILL));
      bench.say("20,000 files stand");
      Checkpoint prepared = box.checkpoint("prepared");
      findings.add(idle(box, rounds));
      findings.addAll(busy(box, rounds));
      findings.add(restored(box, prepared, rounds));
      findings.addAll(forked(server, box));
    }
    Optional<ContainerEngine> docker = bench.containerEngine("docker");
    if (docker.isPresent()) {
      findings.addAll(committed(docker.get()));
    } else {
      notes.add("Not beside docker commit and docker run: no docker daemon answers here.");
    }
    return new Section(name(), title(), findings, notes);
  }

  /** The same files in a container of Docker's, which copies all of them. */
  private static List<Finding> committed(ContainerEngine docker)
      throws IOException, InterruptedException {
    var commits = new ArrayList<Duration>();
    var runs = new ArrayList<Duration>();
    docker.startFilled(List.of("python3", "-c", FILL));
    for (int i = 0; i < COMMITS; i++) {
      var watch = new Stopwatch();
      docker.commit();
      commits.add(watch.elapsed());
      watch = new Stopwatch();
      docker.runCommitted();
      runs.add(watch.elapsed());
    }
    return List.of(
        new Timing("docker-commit", "docker commit of the same files", Samples.of(commits, 0)),
        new Timing("docker-run", "docker run of that, to first output", Samples.of(runs, 0)));
  }

  /** With another sandbox, so that the one that is measured stands on no layer more. */
  private static void practise(BenchServer server, int times) throws IOException {
    try (Sandbox other = server.cove().sandboxes().create()) {
      Checkpoint first = other.checkpoint();
      for (int i = 0; i < times; i++) {
        other.files().write("/home/user/note", "round " + i);
        other.checkpoint();
        other.restore(first.id());
        require(other, Command.of("/bin/echo", "back"));
      }
    }
  }

  private static void require(Sandbox box, Command command) throws IOException {
    var result = box.exec(command);
    if (result.exitCode() != 0) {
      throw new IOException("A command failed: " + result.stderr());
    }
  }

  private static Finding idle(Sandbox box, int rounds) {
    var times = new ArrayList<Duration>();
    for (int i = 0; i < rounds; i++) {
      box.files().write("/home/user/note", "round " + i);
      var watch = new Stopwatch();
      box.checkpoint();
      times.add(watch.elapsed());
    }
    return new Timing("idle", "checkpoint while nothing runs", Samples.of(times, 0));
  }

  private static List<Finding> busy(Sandbox box, int rounds) throws IOException {
    var times = new ArrayList<Duration>();
    var frozen = new ArrayList<Duration>();
    try (var _ = box.start(Command.of("sleep", "600"))) {
      for (int i = 0; i < rounds; i++) {
        require(box, Command.shell(CHANGE));
        var watch = new Stopwatch();
        Checkpoint made = box.checkpoint();
        times.add(watch.elapsed());
        frozen.add(made.frozen());
      }
    }
    return List.of(
        new Timing(
            "busy", "checkpoint while a program runs, 100 files changed", Samples.of(times, 0)),
        new Timing("frozen", "for which it stood still", Samples.of(frozen, 0)));
  }

  private static Finding restored(Sandbox box, Checkpoint to, int rounds) throws IOException {
    var times = new ArrayList<Duration>();
    for (int i = 0; i < rounds; i++) {
      var watch = new Stopwatch();
      box.restore(to.id());
      require(box, Command.of("/bin/echo", "back"));
      times.add(watch.elapsed());
    }
    return new Timing("restore", "restore to first output", Samples.of(times, 0));
  }

  private static List<Finding> forked(BenchServer server, Sandbox box)
      throws IOException, InterruptedException {
    Thread.sleep(SETTLE);
    long memory = Machine.availableKilobytes();
    long disk = Files.getFileStore(server.home()).getUsableSpace();
    var watch = new Stopwatch();
    List<Sandbox> children = new ArrayList<>();
    for (Fork fork : box.fork(FORKS)) {
      if (fork instanceof Fork.Made made) {
        children.add(made.sandbox());
      } else {
        throw new IOException("A fork was refused");
      }
    }
    Clients.map(CLIENTS, children, child -> child.exec("/bin/echo", "here").exitCode());
    Duration took = watch.elapsed();
    Thread.sleep(SETTLE);
    double memoryEach = (memory - Machine.availableKilobytes()) / (double) FORKS;
    double diskEach = (disk - Files.getFileStore(server.home()).getUsableSpace()) / 1024.0 / FORKS;
    Clients.map(
        CLIENTS,
        children,
        child -> {
          child.close();
          return true;
        });
    return List.of(
        new Quantity("forks", "100 forks with output from each", took.toNanos() / 1e9, "s"),
        new Quantity("fork-memory", "memory of each fork", memoryEach, "KiB"),
        new Quantity("fork-disk", "disk of each fork", diskEach, "KiB"));
  }
}
