package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Everything on this host that sandboxes of one home could have left behind.
 *
 * <p>A network namespace needs a process, an open file or a mount to live on, so those are what is
 * looked for.
 */
public final class HostTraces {
  private static final Duration SETTLE = Duration.ofSeconds(20);
  private static final Path ID_CLAIMS = Path.of("/run/cove-ids");

  private final Path home;
  private final Set<Path> cgroups;

  private HostTraces(Path home, Set<Path> cgroups) {
    this.home = home;
    this.cgroups = cgroups;
  }

  public static HostTraces of(Path home) {
    return new HostTraces(home, Set.of());
  }

  /** Looks also for the home's own cgroups, which nothing but their owner knows. */
  public static HostTraces of(Path home, Collection<Path> cgroups) {
    return new HostTraces(home, Set.copyOf(cgroups));
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
    cgroups.stream().filter(Files::exists).map(group -> "cgroup " + group).forEach(traces::add);
    traces.addAll(processes());
    traces.addAll(folders());
    traces.addAll(idClaims());
    return traces;
  }

  private List<String> mounts() {
    return lines(Path.of("/proc/self/mountinfo")).stream()
        .filter(this::mentionsHome)
        .map(line -> "mount " + line)
        .toList();
  }

  private List<String> loopDevices() {
    var found = new ArrayList<String>();
    for (Path device : list(Path.of("/sys/block"))) {
      for (String backing : lines(device.resolve("loop/backing_file"))) {
        if (mentionsHome(backing)) {
          found.add("loop device " + device + " of " + backing);
        }
      }
    }
    return found;
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

  /** A process of ours carries the home in its command line, its environment or its mounts. */
  private boolean belongsHere(Path process) {
    if (name(process).equals(String.valueOf(ProcessHandle.current().pid()))) {
      return false;
    }
    List<String> files =
        hasOwnMounts(process)
            ? List.of("cmdline", "environ", "mountinfo")
            : List.of("cmdline", "environ");
    return files.stream()
        .flatMap(file -> lines(process.resolve(file)).stream())
        .anyMatch(this::mentionsHome);
  }

  private static boolean hasOwnMounts(Path process) {
    try {
      return !Files.readSymbolicLink(process.resolve("ns/mnt"))
          .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")));
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  private List<String> folders() {
    return Stream.concat(
            list(home.resolve("data/engine/sandboxes")).stream(),
            list(home.resolve("run/s")).stream())
        .map(path -> "file " + path)
        .toList();
  }

  private List<String> idClaims() {
    return list(ID_CLAIMS).stream()
        .filter(claim -> lines(claim).stream().anyMatch(this::mentionsHome))
        .map(claim -> "claim to user ids " + claim)
        .toList();
  }

  /** Not a home whose name only begins alike. */
  private boolean mentionsHome(String text) {
    String path = home.toString();
    for (int at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
      int end = at + path.length();
      if (end == text.length() || !Character.isLetterOrDigit(text.charAt(end))) {
        return true;
      }
    }
    return false;
  }

  private static String name(Path path) {
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
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // Processes and devices may go away while they are looked at.
      return List.of();
    }
  }
}
