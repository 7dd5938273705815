package dev.cove.engine.container;

import dev.cove.model.SandboxId;
import java.nio.file.Path;
import java.util.List;

/**
 * Where one Cove keeps its things.
 *
 * @param data survives a reboot
 * @param run does not need to
 */
public record EngineHome(Path data, Path run) {
  /** What fits in the address of a Unix socket, with its final NUL. */
  private static final int MAX_SOCKET_PATH = 107;

  public EngineHome {
    data = data.toAbsolutePath().normalize();
    run = run.toAbsolutePath().normalize();
    int length = run.resolve("s").resolve("x".repeat(14) + ".control").toString().length();
    if (length > MAX_SOCKET_PATH) {
      throw new IllegalArgumentException(
          "The folder %s is too long a name: sockets in it would have %d characters, at most %d"
                  .formatted(run, length, MAX_SOCKET_PATH)
              + " work. Choose a shorter COVE_HOME");
    }
  }

  Path lock() {
    return data.resolve("engine/lock");
  }

  Path binaries() {
    return data.resolve("engine/bin");
  }

  Path baseImages() {
    return data.resolve("engine/base");
  }

  Path spareImages() {
    return data.resolve("engine/spare");
  }

  Path sealedImages() {
    return data.resolve("engine/sealed");
  }

  Path volumes() {
    return data.resolve("engine/volumes");
  }

  Path sandboxes() {
    return data.resolve("engine/sandboxes");
  }

  Path sandbox(SandboxId id) {
    return sandboxes().resolve(id.value());
  }

  Path sockets() {
    return run.resolve("s");
  }

  Path socket(SandboxId id) {
    return socket(run, id.value());
  }

  /** Over which a machine's first program is told what to do. */
  Path control(SandboxId id) {
    return run.resolve("s").resolve(id.value() + ".control");
  }

  /** Over which the program that a machine is is told what to do. */
  Path monitor(SandboxId id) {
    return run.resolve("s").resolve(id.value() + ".monitor");
  }

  /** All sockets that a sandbox may have. */
  List<Path> sockets(SandboxId id) {
    return List.of(socket(id), control(id), monitor(id));
  }

  /** The disk of a sandbox. */
  Path image(SandboxId id) {
    return sandbox(id).resolve("image");
  }

  private static Path socket(Path run, String id) {
    return run.resolve("s").resolve(id + ".sock");
  }
}
