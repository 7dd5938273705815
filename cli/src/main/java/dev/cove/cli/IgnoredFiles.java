package dev.cove.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What of a folder need not be sent because {@code .dockerignore} names it plainly. The server
 * applies the whole file; this only saves it the bulk, such as {@code node_modules}.
 */
final class IgnoredFiles implements Predicate<Path> {
  private static final String FILE = ".dockerignore";
  private static final Pattern PLAIN = Pattern.compile("[^*?\\[\\]\\\\!\\x00]+");

  private final Set<Path> ignored;

  private IgnoredFiles(Set<Path> ignored) {
    this.ignored = ignored;
  }

  /**
   * @param dockerfile relative to the folder; sent whatever the file says, for the server reads it
   */
  static IgnoredFiles of(Path folder, Path dockerfile) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return new IgnoredFiles(Set.of());
    }
    List<String> lines = Files.readAllLines(file).stream().map(String::strip).toList();
    var ignored = new HashSet<Path>();
    for (String line : lines) {
      if (line.startsWith("!")) {
        return new IgnoredFiles(Set.of());
      }
      if (!line.startsWith("#") && PLAIN.matcher(line).matches()) {
        ignored.add(Path.of("/").resolve(line).normalize());
      }
    }
    ignored.removeIf(path -> Path.of("/").resolve(dockerfile.normalize()).startsWith(path));
    ignored.remove(Path.of("/", FILE));
    return new IgnoredFiles(ignored);
  }

  @Override
  public boolean test(Path relative) {
    return ignored.contains(Path.of("/").resolve(relative));
  }
}
