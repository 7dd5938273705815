package dev.cove.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** runc, crun or runsc, driven by its own command line on a bundle written here. */
final class OciRuntime implements Peer {
  private static final String ECHO = "echo";
  private static final String IDLE = "idle";
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  private final String name;
  private final List<String> program;
  private final Path folder;
  private final String cgroupName;
  private final OciBundle bundle;
  private boolean idles;

  private OciRuntime(String name, Path program, PeerRoot root, Path folder) {
    this.name = name;
    this.folder = folder;
    this.cgroupName = "cove-bench-" + ProcessHandle.current().pid() + "-" + name;
    var words = new ArrayList<>(List.of(program.toString(), "--root", folder + "/state"));
    if (name.equals("runsc")) {
      // Its own network stack would need an interface to be made first; nobody here uses a network.
      words.add("--network=none");
    }
    this.program = List.copyOf(words);
    // gVisor makes its own user namespace; a second one asked for by the bundle is refused by old
    // releases.
    this.bundle = new OciBundle(root, mergedRoot(), "/" + cgroupName, !name.equals("runsc"));
  }

  static OciRuntime prepare(String name, Path program, PeerRoot root, Path folder)
      throws IOException, InterruptedException {
    var runtime = new OciRuntime(name, program, root, folder);
    try {
      runtime.setUp(root);
      return runtime;
    } catch (IOException | InterruptedException failure) {
      runtime.close();
      throw failure;
    }
  }

  private void setUp(PeerRoot root) throws IOException, InterruptedException {
    for (String part : List.of("state", "upper", "work", "root")) {
      Files.createDirectories(folder.resolve(part));
    }
    String layers =
        "lowerdir="
            + root.skeleton()
            + ",upperdir="
            + folder
            + "/upper,workdir="
            + folder
            + "/work";
    Command.require(
        List.of("mount", "-t", "overlay", "-o", layers, "overlay", mergedRoot().toString()));
    bundle.write(folder.resolve(ECHO), ECHO, List.of("/bin/echo", "hello"));
    bundle.write(folder.resolve(IDLE), IDLE, List.of("/bin/sleep", "3600"));
  }

  private Path mergedRoot() {
    return folder.resolve("root");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String runLabel() {
    return name + " run";
  }

  @Override
  public List<String> runCommand() {
    return runtime("run", "--bundle", folder + "/" + ECHO, ECHO);
  }

  @Override
  public Optional<List<String>> startIdle() throws IOException, InterruptedException {
    idles = true;
    // Output to nowhere: the idle command would otherwise hold the pipe that we read to its end.
    var command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"));
    command.addAll(runtime("run", "--detach", "--bundle", folder + "/" + IDLE, IDLE));
    Command.require(command);
    return Optional.of(runtime("exec", IDLE, "/bin/true"));
  }

  private List<String> runtime(String... words) {
    var command = new ArrayList<>(program);
    command.addAll(List.of(words));
    return command;
  }

  @Override
  public void close() throws IOException {
    if (idles) {
      Command.tidy(runtime("delete", "--force", IDLE));
    }
    Command.tidy(runtime("delete", "--force", ECHO));
    Command.tidy(List.of("umount", mergedRoot().toString()));
    removeCgroups();
  }

  /** The runtime removes the leaf it made, and leaves the folder above it in every hierarchy. */
  private void removeCgroups() throws IOException {
    try (Stream<Path> hierarchies = Files.list(CGROUPS)) {
      for (Path hierarchy : Stream.concat(Stream.of(CGROUPS), hierarchies).toList()) {
        Path ours = hierarchy.resolve(cgroupName);
        if (Files.isDirectory(ours) && !Files.isSymbolicLink(hierarchy)) {
          Files.deleteIfExists(ours.resolve(ECHO));
          Files.deleteIfExists(ours.resolve(IDLE));
          Files.deleteIfExists(ours);
        }
      }
    }
  }
}
