package dev.cove.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the machine still has of one {@code COVE_HOME}.
 *
 * <p>Only what can be told to belong to that home is counted, since other servers may run beside
 * it. A network namespace without a process, an open file or a mount is gone, so those held by
 * mounts below the home are what can remain.
 */
record Leftovers(
    long processes,
    long mounts,
    long networkNamespaces,
    long cgroups,
    long loopDevices,
    long folders) {
  private static final Path PROC = Path.of("/proc");
  private static final int CGROUP_DEPTH = 6;

  static Leftovers of(Path home, Set<Path> cgroups) throws IOException {
    return new Leftovers(
        countProcesses(home),
        countMountsBelow(home),
        countNamespaceMounts(home),
        cgroups.stream().filter(Files::isDirectory).count(),
        countLoopDevices(home),
        countFolders(home));
  }

  long total() {
    return processes + mounts + cgroups + loopDevices + folders;
  }

  /** By command line, or by a mount that shows the home as its source: a sandbox's overlay does. */
  private static long countProcesses(Path home) throws IOException {
    try (Stream<Path> entries = Files.list(PROC)) {
      return entries
          .filter(entry -> Character.isDigit(entry.getFileName().toString().charAt(0)))
          .filter(entry ->
              mentions(entry.resolve("cmdline"), home)
                  || (inAnotherMountNamespace(entry) && mentions(entry.resolve("mountinfo"), home)))
          .count();
    }
  }

  private static boolean inAnotherMountNamespace(Path process) {
    try {
      return !Files.readSymbolicLink(process.resolve("ns/mnt"))
          .equals(Files.readSymbolicLink(PROC.resolve("self/ns/mnt")));
    } catch (IOException _) {
      return false; // It ended while we looked.
    }
  }

  private static boolean mentions(Path file, Path home) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
          .contains(home.toString());
    } catch (IOException _) {
      return false; // It ended while we looked.
    }
  }

  static long countMountsBelow(Path folder) throws IOException {
    try (Stream<String> mounts = Files.lines(PROC.resolve("self/mountinfo"))) {
      return mounts.filter(mount -> isBelow(mount, folder)).count();
    }
  }

  private static long countNamespaceMounts(Path folder) throws IOException {
    try (Stream<String> mounts = Files.lines(PROC.resolve("self/mountinfo"))) {
      return mounts
          .filter(mount -> isBelow(mount, folder))
          .filter(mount -> mount.split(" ")[3].startsWith("net:["))
          .count();
    }
  }

  private static boolean isBelow(String mount, Path folder) {
    String point = mount.split(" ")[4];
    return point.equals(folder.toString()) || point.startsWith(folder + "/");
  }

  /**
   * The cgroups of these sandboxes, and those of their home above them: to be asked while the
   * sandboxes stand, so that it is known what must be gone afterwards.
   */
  static Set<Path> findCgroups(Set<String> sandboxIds) throws IOException {
    try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), CGROUP_DEPTH)) {
      return groups
          .filter(group -> sandboxIds.contains(group.getFileName().toString()))
          .flatMap(group -> Stream.of(group, group.getParent()))
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  private static long countFolders(Path home) throws IOException {
    return countEntries(home.resolve("data/engine/sandboxes"))
        + countEntries(home.resolve("run/s"));
  }

  private static long countEntries(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }

  private static long countLoopDevices(Path home) throws IOException {
    Path block = Path.of("/sys/block");
    try (Stream<Path> devices = Files.list(block)) {
      return devices
          .filter(device -> device.getFileName().toString().startsWith("loop"))
          .filter(device -> isBackedBy(device, home))
          .count();
    }
  }

  private static boolean isBackedBy(Path device, Path home) {
    try {
      return Files.readString(device.resolve("loop/backing_file")).startsWith(home + "/");
    } catch (NoSuchFileException _) {
      return false; // It backs nothing.
    } catch (IOException _) {
      return false; // It was released while we looked.
    }
  }
}
