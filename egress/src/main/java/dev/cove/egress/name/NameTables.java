package dev.cove.egress.name;

import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The name tables of all sandboxes, in a folder. */
public final class NameTables {
  private static final String SUFFIX = ".names";

  private final Path folder;

  public NameTables(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  public NameTable open(SandboxId id) throws IOException {
    return new NameTable(new NameFile(file(id)));
  }

  public void forget(SandboxId id) throws IOException {
    Files.deleteIfExists(folder.resolve(id + SUFFIX + ".new"));
    Files.deleteIfExists(file(id));
  }

  /** Whose names are on disk. */
  public Set<SandboxId> remembered() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .map(name -> name.substring(0, Math.max(0, name.indexOf('.'))))
          .filter(SandboxId::isValid)
          .map(SandboxId::new)
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  private Path file(SandboxId id) {
    return folder.resolve(id + SUFFIX);
  }
}
