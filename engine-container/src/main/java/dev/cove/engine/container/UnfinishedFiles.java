package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that get the name under which they count only when they are complete. */
final class UnfinishedFiles {
  /** Ends the name of such a file. */
  static final String SUFFIX = ".new";

  private UnfinishedFiles() {}

  /** Puts a text in the place of a file's content, all of it or nothing. */
  static void replace(Path file, CharSequence text) throws IOException {
    replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  static void replace(Path file, byte[] bytes) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + SUFFIX);
    Files.write(fresh, bytes); // where the disk is full, the one before stays
    FailPoint.RECORD_WRITTEN.reached();
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

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
