package dev.cove.bench.peer;

import dev.cove.bench.peer.PeerStatus.Missing;
import dev.cove.bench.peer.PeerStatus.Ready;
import dev.cove.bench.peer.PeerStatus.Unusable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** All the peers that the bench knows, looked for and set up. */
public final class Peers implements Closeable {
  private static final List<String> NAMES =
      List.of("runc", "crun", "runsc", "bwrap", "docker", "podman");
  private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d[\\w.+~-]*");

  private final List<PeerStatus> statuses = new ArrayList<>();
  private final List<Peer> started = new ArrayList<>();

  /**
   * Looks for every peer and sets up those that are there.
   *
   * @param searchPath folders, separated by colons
   * @param scratch an existing folder for what the peers need; its owner removes it after closing
   *     this
   */
  public static Peers prepare(String searchPath, Path scratch)
      throws IOException, InterruptedException {
    var peers = new Peers();
    PeerRoot root = PeerRoot.build(scratch.resolve("skeleton"));
    try {
      for (String name : NAMES) {
        Optional<Path> program = findProgram(name, searchPath);
        peers.statuses.add(
            program.isPresent()
                ? peers.prepare(name, program.get(), root, scratch)
                : new Missing(name));
      }
      return peers;
    } catch (InterruptedException | RuntimeException failure) {
      peers.close();
      throw failure;
    }
  }

  private PeerStatus prepare(String name, Path program, PeerRoot root, Path scratch)
      throws InterruptedException {
    try {
      Peer peer =
          switch (name) {
            case "bwrap" -> new Bubblewrap(program, root);
            case "docker", "podman" -> ContainerEngine.prepare(name, program, root, scratch);
            default -> OciRuntime.prepare(name, program, root, scratch.resolve(name));
          };
      started.add(peer);
      Command.Result trial = Command.run(peer.runCommand(), Duration.ofSeconds(30));
      if (trial.exitCode() != 0 || !trial.output().contains("hello")) {
        return new Unusable(name, trial.reason());
      }
      return new Ready(peer, version(program));
    } catch (IOException failure) {
      return new Unusable(name, String.valueOf(failure.getMessage()));
    }
  }

  private static String version(Path program) throws IOException, InterruptedException {
    var matcher = VERSION.matcher(Command.run(List.of(program.toString(), "--version")).output());
    return matcher.find() ? matcher.group() : "of unknown version";
  }

  private static Optional<Path> findProgram(String name, String searchPath) {
    for (String folder : searchPath.split(":")) {
      Path program = Path.of(folder, name);
      if (!folder.isEmpty() && Files.isRegularFile(program) && Files.isExecutable(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  public List<PeerStatus> statuses() {
    return List.copyOf(statuses);
  }

  public List<Peer> ready() {
    return statuses.stream()
        .filter(Ready.class::isInstance)
        .map(status -> ((Ready) status).peer())
        .toList();
  }

  /** Tidies all peers away; one that fails does not keep the others. */
  @Override
  public void close() throws IOException {
    var failures = new ArrayList<IOException>();
    for (Peer peer : started.reversed()) {
      try {
        peer.close();
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    started.clear();
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }
}
