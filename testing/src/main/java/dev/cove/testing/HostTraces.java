package dev.cove.testing;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** What can be seen on the host of a sandbox or of a home. */
public final class HostTraces {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private HostTraces() {}

  /** Processes, cgroups and files whose names tell of {@code id}, and its loop devices. */
  public static List<String> of(String id, Path home) throws IOException {
    var traces = new ArrayList<String>();
    for (Path process : processesOf(id)) {
      traces.add("process " + process.getFileName());
    }
    traces.addAll(named(id, Path.of("/sys/fs/cgroup"), 4, "cgroup "));
    traces.addAll(named(id, home, 8, "file "));
    for (String image : loopImages()) {
      if (image.contains(id)) {
        traces.add("loop device of " + image);
      }
    }
    if (read(Path.of("/proc/self/mountinfo")).contains(id)) {
      traces.add("mount on the host");
    }
    return traces;
  }

  /** The folders in {@code /proc} of a sandbox's processes. */
  public static List<Path> processesOf(String id) throws IOException {
    return processes().stream().filter(p -> read(p.resolve("cgroup")).contains(id)).toList();
  }

  /** The host's pid of a sandbox's agent. */
  public static long agentOf(String id) throws IOException {
    for (Path process : processesOf(id)) {
      if (field(process, "NSpid").endsWith("\t1")) {
        return Long.parseLong(process.getFileName().toString());
      }
    }
    throw new AssertionError("Sandbox %s has no agent".formatted(id));
  }

  /** A field of {@code /proc/<pid>/status}. */
  public static String field(Path process, String name) {
    return read(process.resolve("status"))
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }

  /** Files behind loop devices. */
  public static Set<String> loopImages() throws IOException {
    return new HashSet<>(allLoopImages());
  }

  /** How many loop devices show a file whose name tells of {@code id}. */
  public static long loopDevicesOf(String id) throws IOException {
    return allLoopImages().stream().filter(image -> image.contains(id)).count();
  }

  private static List<String> allLoopImages() throws IOException {
    var images = new ArrayList<String>();
    try (var devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        String image = read(device.resolve("loop/backing_file")).strip();
        if (!image.isEmpty()) {
          images.add(image);
        }
      }
    }
    return images;
  }

  /** The network namespaces that some process is in. */
  public static Set<String> netNamespaces() throws IOException {
    var namespaces = new HashSet<String>();
    for (Path process : processes()) {
      readLink(process.resolve("ns/net")).ifPresent(namespaces::add);
    }
    return namespaces;
  }

  private static Optional<String> readLink(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException e) {
      return Optional.empty(); // it ended meanwhile
    }
  }

  private static List<Path> processes() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      return entries.filter(p -> p.getFileName().toString().matches("\\d+")).toList();
    }
  }

  private static List<String> named(String id, Path folder, int depth, String kind)
      throws IOException {
    var found = new ArrayList<String>();
    if (!Files.exists(folder)) {
      return found;
    }
    Files.walkFileTree(
        folder,
        Set.of(),
        depth,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            return visitFile(path, attributes);
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            if (String.valueOf(path.getFileName()).contains(id)) {
              found.add(kind + path);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path path, IOException failure) {
            return FileVisitResult.CONTINUE; // removed meanwhile
          }
        });
    return found;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return ""; // it ended meanwhile
    }
  }

  /** Waits for what the kernel does in its own time, such as giving a loop device back. */
  public static void eventually(String what, BooleanSupplier condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within %d s: %s".formatted(PATIENCE.toSeconds(), what));
      }
      Thread.sleep(10);
    }
  }
}
