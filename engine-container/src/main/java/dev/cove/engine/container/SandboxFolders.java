package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The folders and sockets of a home's sandboxes, which carry their ids. */
final class SandboxFolders {
  /** A file in the folder of a cage that has volumes. */
  static final String VOLUMES = "volumes";

  /** A file in the folder of a cage that a {@link Launcher} brought up. */
  static final String CONFIG = "config.json";

  /** What that program said. */
  static final String LOG = "runtime.log";

  private final EngineHome home;

  SandboxFolders(EngineHome home) {
    this.home = home;
  }

  /** Makes the engine's own folders. */
  static void prepare(EngineHome home) {
    var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    try {
      Files.createDirectories(home.data());
      for (Path folder :
          List.of(
              home.binaries(),
              home.baseImages(),
              home.spareImages(),
              home.sealedImages(),
              home.volumes(),
              home.sandboxes(),
              home.sockets())) {
        Files.createDirectories(folder, owner);
      }
    } catch (IOException e) {
      throw new EngineException("Could not make the engine's folders in " + home.data(), e);
    }
  }

  /** Doubles as the claim to the id: a second start of the same sandbox fails here. */
  void make(SandboxId id) {
    try {
      Files.createDirectory(home.sandbox(id));
    } catch (FileAlreadyExistsException e) {
      throw new EngineException("Sandbox %s is there already, or was not removed".formatted(id), e);
    } catch (IOException e) {
      throw new EngineException("Could not make the folder of sandbox " + id, e);
    }
  }

  /** The folder goes last, so that whatever is left is still found by its id. */
  void remove(SandboxId id) {
    try {
      for (Path socket : home.sockets(id)) {
        Files.deleteIfExists(socket);
      }
      FolderRemoval.remove(home.sandbox(id));
    } catch (IOException e) {
      throw new EngineException("Could not remove the files of sandbox " + id, e);
    }
  }

  /** Those that have a folder. */
  Set<SandboxId> all() {
    return idsIn(home.sandboxes(), "");
  }

  Set<SandboxId> withSockets() {
    return idsIn(home.sockets(), ".sock");
  }

  private static Set<SandboxId> idsIn(Path folder, String suffix) {
    var ids = new HashSet<SandboxId>();
    try (var entries = Files.newDirectoryStream(folder, "*" + suffix)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        String id = name.substring(0, name.length() - suffix.length());
        if (SandboxId.isValid(id)) {
          ids.add(new SandboxId(id));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not list " + folder, e);
    }
    return ids;
  }
}
