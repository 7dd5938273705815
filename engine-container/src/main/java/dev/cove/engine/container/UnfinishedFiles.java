package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that get the name under which they count only when they are complete. */
final class UnfinishedFiles {
  /** Ends the name of such a file. */
  static final String SUFFIX = ".new";

  private UnfinishedFiles() {}

  /** Removes what an earlier engine was making when it ended; nobody else makes any yet. */
  static void removeFrom(Path folder) {
    try (var files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (Path file : files) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new EngineException("Could not clean up " + folder, e);
    }
  }
}
