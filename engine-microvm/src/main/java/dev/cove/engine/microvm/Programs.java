package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Programs of the host. */
final class Programs {
  private static final List<String> FOLDERS = List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin");

  private Programs() {}

  static Optional<Path> find(String name) {
    return FOLDERS.stream()
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @throws EngineException with what it said when it fails
   */
  static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new EngineException("%s failed: %s".formatted(command.getFirst(), output.strip()));
      }
      return output;
    } catch (IOException e) {
      throw new EngineException("Could not run " + command.getFirst(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("Interrupted while %s ran".formatted(command.getFirst()), e);
    }
  }
}
