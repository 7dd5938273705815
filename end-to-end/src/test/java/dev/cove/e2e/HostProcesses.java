package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Sandboxes and servers seen from the host, as processes. */
public final class HostProcesses {
  private HostProcesses() {}

  /** Pid 1 of a sandbox, by its number on the host. */
  public static long agentOf(String sandboxId) throws IOException {
    List<Long> agents = agentsOf(sandboxId);
    assertThat(agents).as("processes that are pid 1 of sandbox %s", sandboxId).hasSize(1);
    return agents.getFirst();
  }

  /** The same where the sandbox may not run. */
  static List<Long> agentsOf(String sandboxId) {
    try {
      return inSandbox(sandboxId).stream().filter(HostProcesses::isFirstOfItsNamespace).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every process of a sandbox: its cgroup is named after the sandbox. */
  public static List<Long> inSandbox(String sandboxId) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      return entries
          .map(entry -> String.valueOf(entry.getFileName()))
          .filter(name -> name.chars().allMatch(Character::isDigit))
          .filter(pid -> read(pid, "cgroup").contains("/" + sandboxId))
          .map(Long::valueOf)
          .toList();
    }
  }

  public static long spawnerOf(long serverPid) {
    List<Long> spawners =
        ProcessHandle.of(serverPid)
            .orElseThrow()
            .children()
            .map(ProcessHandle::pid)
            .filter(pid -> commandLine(pid).getFirst().contains("/cove-spawner"))
            .toList();
    assertThat(spawners).as("spawners of the server").hasSize(1);
    return spawners.getFirst();
  }

  static List<String> commandLine(long pid) {
    return Arrays.asList(read(Long.toString(pid), "cmdline").split("\0"));
  }

  /** A process that has ended but waits to be noticed does not run. */
  public static boolean isRunning(long pid) {
    String status = read(Long.toString(pid), "status");
    return !status.isEmpty() && !status.contains("State:\tZ");
  }

  /** Sends a signal such as KILL to a process that a test started. */
  public static void signal(long pid, String name) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
    assertThat(code).as("kill -%s %d", name, pid).isZero();
  }

  private static boolean isFirstOfItsNamespace(long pid) {
    return read(Long.toString(pid), "status")
        .lines()
        .anyMatch(line -> line.matches("NSpid:\\s+[0-9]+\\s+1"));
  }

  private static String read(String pid, String file) {
    try {
      return Files.readString(Path.of("/proc", pid, file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended
    }
  }
}
