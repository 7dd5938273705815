package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Everything on this host that sandboxes of one home could have left behind. */
public final class HostTraces {
  private static final Duration SETTLE = Duration.ofSeconds(20);

  private final Path home;

  private HostTraces(Path home) {
    this.home = home;
  }

  public static HostTraces of(Path home) {
    return new HostTraces(home);
  }

  /** Fails unless all traces are gone soon; the kernel takes some apart after the fact. */
  public void assertNone() {
    Awaitility.await("traces of " + home + " to vanish")
        .atMost(SETTLE)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(find()).isEmpty());
  }

  public List<String> find() {
    var traces = new ArrayList<String>();
    traces.addAll(mounts());
    traces.addAll(loopDevices());
    traces.addAll(cgroups());
    traces.addAll(processes());
    traces.addAll(folders());
    return traces;
  }

  private List<String> mounts() {
    return lines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(home.toString()))
        .map(line -> "mount " + line)
        .toList();
  }

  private List<String> loopDevices() {
    var found = new ArrayList<String>();
    for (Path device : list(Path.of("/sys/block"))) {
      for (String backing : lines(device.resolve("loop/backing_file"))) {
        if (backing.contains(home.toString())) {
          found.add("loop device " + device + " of " + backing);
        }
      }
    }
    return found;
  }

  /** Sandbox ids are 14 characters; below a group of this home each one would be a sandbox's. */
  private List<String> cgroups() {
    List<String> ids =
        list(home.resolve("data/engine/sandboxes")).stream().map(this::name).toList();
    if (ids.isEmpty()) {
      return List.of();
    }
    try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), 4, new FileVisitOption[0])) {
      return groups
          .filter(group -> ids.contains(name(group)))
          .map(group -> "cgroup " + group)
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of("cgroups could not be read: " + e.getMessage());
    }
  }

  private List<String> processes() {
    var found = new ArrayList<String>();
    for (Path entry : list(Path.of("/proc"))) {
      String name = name(entry);
      if (name.chars().allMatch(Character::isDigit) && belongsHere(entry)) {
        found.add("process " + name + " " + lines(entry.resolve("comm")));
      }
    }
    return found;
  }

  /** A process of ours carries the home in its command line or its environment. */
  private boolean belongsHere(Path process) {
    if (name(process).equals(String.valueOf(ProcessHandle.current().pid()))) {
      return false;
    }
    return Stream.of("cmdline", "environ")
        .flatMap(file -> lines(process.resolve(file)).stream())
        .anyMatch(line -> line.contains(home.toString()));
  }

  private List<String> folders() {
    return Stream.concat(
            list(home.resolve("data/engine/sandboxes")).stream(),
            list(home.resolve("run/s")).stream())
        .map(path -> "file " + path)
        .toList();
  }

  private String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // Processes and devices may go away while they are looked at.
      return List.of();
    }
  }
}
