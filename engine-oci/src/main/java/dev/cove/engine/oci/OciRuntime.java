package dev.cove.engine.oci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A runtime that is installed here.
 *
 * @param version the first line of what it says of itself
 */
record OciRuntime(Path program, String version) {
  private static final List<String> FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");
  private static final int LONGEST_ANSWER = 65_536;
  private static final int PATIENCE_SECONDS = 10;

  /**
   * @param name of a program in the usual folders, or its whole path
   */
  static Optional<OciRuntime> find(String name) {
    Stream<Path> candidates =
        name.startsWith("/")
            ? Stream.of(Path.of(name))
            : FOLDERS.stream().map(folder -> Path.of(folder, name));
    return candidates
        .filter(Files::isExecutable)
        .findFirst()
        .map(program ->
            new OciRuntime(
                program, ask(program, "--version").lines().findFirst().orElse("").strip()));
  }

  /** Whether it knows an option or one of its values, by its own description. */
  boolean knows(String word) {
    return ask(program, "flags").contains(word);
  }

  /** What it answers, or nothing when it does not. */
  private static String ask(Path program, String word) {
    var builder = new ProcessBuilder(program.toString(), word).redirectErrorStream(true);
    builder.environment().clear();
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      try (var out = process.getInputStream()) {
        String said = new String(out.readNBytes(LONGEST_ANSWER), StandardCharsets.UTF_8);
        return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) ? said : "";
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
