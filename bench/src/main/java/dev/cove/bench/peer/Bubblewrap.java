package dev.cove.bench.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** bubblewrap: all namespaces, no cgroups, no seccomp, a tmpfs as root. */
final class Bubblewrap implements Peer {
  private final List<String> runCommand;

  Bubblewrap(Path program, PeerRoot root) throws IOException {
    var command = new ArrayList<>(List.of(program.toString(), "--unshare-all", "--new-session"));
    for (String folder : root.bound()) {
      command.addAll(List.of("--ro-bind", folder, folder));
    }
    for (PeerRoot.Link link : root.links()) {
      command.addAll(List.of("--symlink", link.target(), link.name()));
    }
    command.addAll(
        List.of("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/home"));
    command.addAll(List.of("--", "/bin/echo", "hello"));
    runCommand = List.copyOf(command);
  }

  @Override
  public String name() {
    return "bwrap";
  }

  @Override
  public String runLabel() {
    return "bwrap --unshare-all (no cgroups, no seccomp)";
  }

  @Override
  public List<String> runCommand() {
    return runCommand;
  }

  @Override
  public Optional<List<String>> startIdle() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
