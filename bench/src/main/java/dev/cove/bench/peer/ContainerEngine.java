package dev.cove.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Docker or Podman: a program that talks to an engine and keeps images of its own. */
public final class ContainerEngine implements Peer {
  private static final long PID = ProcessHandle.current().pid();

  private final String name;
  private final String program;
  private final PeerRoot root;
  private final String image = "cove-bench:" + PID;
  private final String idleName = "cove-bench-idle-" + PID;
  private final String filledName = "cove-bench-filled-" + PID;
  private final String committed = "cove-bench-committed:" + PID;

  private ContainerEngine(String name, Path program, PeerRoot root) {
    this.name = name;
    this.program = program.toString();
    this.root = root;
  }

  /** Asks the engine whether it is there, then gives it the empty tree as an image. */
  static ContainerEngine prepare(String name, Path program, PeerRoot root, Path scratch)
      throws IOException, InterruptedException {
    var engine = new ContainerEngine(name, program, root);
    Command.require(List.of(engine.program, "ps", "-q"));
    Path archive = scratch.resolve(name + "-root.tar");
    Command.require(
        List.of("tar", "-C", root.skeleton().toString(), "-cf", archive.toString(), "."));
    try {
      Command.require(List.of(engine.program, "import", archive.toString(), engine.image));
    } finally {
      Files.delete(archive);
    }
    return engine;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String runLabel() {
    return name + " run --rm --network none";
  }

  @Override
  public List<String> runCommand() {
    return container(List.of("--rm"), List.of("/bin/echo", "hello"));
  }

  @Override
  public Optional<List<String>> startIdle() throws IOException, InterruptedException {
    Command.require(container(List.of("-d", "--name", idleName), List.of("/bin/sleep", "3600")));
    return Optional.of(List.of(program, "exec", idleName, "/bin/true"));
  }

  /** Starts a container that idles, and runs a command in it to its end. */
  public void startFilled(List<String> command) throws IOException, InterruptedException {
    Command.require(container(List.of("-d", "--name", filledName), List.of("/bin/sleep", "3600")));
    var words = new ArrayList<>(List.of(program, "exec", filledName));
    words.addAll(command);
    Command.require(words);
  }

  /** Makes an image of the filled container, in place of the one before. */
  public void commit() throws IOException, InterruptedException {
    Command.require(List.of(program, "commit", filledName, committed));
  }

  /** Runs {@code echo} in a container of the committed image. */
  public void runCommitted() throws IOException, InterruptedException {
    Command.require(container(committed, List.of("--rm"), List.of("/bin/echo", "hello")));
  }

  private List<String> container(List<String> options, List<String> command) {
    return container(image, options, command);
  }

  private List<String> container(String of, List<String> options, List<String> command) {
    var words = new ArrayList<>(List.of(program, "run"));
    words.addAll(options);
    words.addAll(List.of("--network", "none"));
    for (String folder : root.bound()) {
      words.addAll(List.of("-v", folder + ":" + folder + ":ro"));
    }
    words.add(of);
    words.addAll(command);
    return words;
  }

  @Override
  public void close() throws IOException {
    Command.tidy(List.of(program, "rm", "-f", idleName, filledName));
    Command.tidy(List.of(program, "rmi", "-f", committed, image));
  }
}
