package dev.cove.server.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md is a map by class names; a name that is gone makes it a wrong map. */
class ArchitectureNamesTest {
  /** {@code `Type`}, {@code `Outer.Inner`}, {@code `Type.method`} or {@code `Type.method(x)`}. */
  private static final Pattern IN_TEXT =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*(?:\\.[A-Za-z]\\w*)*)(?:\\([^`]*\\))?`");

  /** In a block, where ordinary words stand too, only names of two words and more. */
  private static final Pattern IN_BLOCK =
      Pattern.compile("(?<![\\w`])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+(?!\\w)");

  private static final Pattern DECLARATION =
      Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");

  @Test
  void every_class_named_in_the_architecture_page_exists() throws IOException {
    Path root = CoveClasses.repositoryRoot();
    Set<String> named = names(Files.readAllLines(root.resolve("ARCHITECTURE.md")));
    assertThat(named).as("class names found in ARCHITECTURE.md").hasSizeGreaterThan(10);
    named.removeAll(declaredBelow(root));
    assertThat(named).as("names in ARCHITECTURE.md that no source file declares").isEmpty();
  }

  @Test
  void names_are_found_in_text_and_in_blocks() {
    List<String> page =
        List.of(
            "Enter at `SandboxLifecycle.create(request)`, see `Cage` and `SandboxState.Running`.",
            "Not `COVE_HOME`, `/api/v1`, `Idempotency-Key`, `node.start` or `GET`.",
            "",
            "    edge  SandboxRoutes -> HTTP over Unix socket",
            "```",
            "control  RepeatedCreates.once, then Node",
            "```",
            "SandboxGhost in plain text is only text.");
    assertThat(names(page))
        .containsExactlyInAnyOrder(
            "SandboxLifecycle",
            "Cage",
            "SandboxState",
            "Running",
            "SandboxRoutes",
            "RepeatedCreates");
  }

  private static Set<String> names(List<String> lines) {
    var names = new TreeSet<String>();
    boolean fenced = false;
    for (String line : lines) {
      if (line.startsWith("```")) {
        fenced = !fenced;
      } else if (fenced || line.startsWith("    ")) {
        IN_BLOCK.matcher(line).results().forEach(found -> names.add(found.group()));
      } else {
        names.addAll(namesInText(line));
      }
    }
    return names;
  }

  private static List<String> namesInText(String line) {
    var names = new ArrayList<String>();
    Matcher spans = IN_TEXT.matcher(line);
    while (spans.find()) {
      for (String part : spans.group(1).split("\\.")) {
        if (Character.isUpperCase(part.charAt(0))) {
          names.add(part);
        }
      }
    }
    return names;
  }

  private static Set<String> declaredBelow(Path root) throws IOException {
    var declared = new HashSet<String>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path sources : modules.map(module -> module.resolve("src")).toList()) {
        if (Files.isDirectory(sources)) {
          declared.addAll(declaredIn(sources));
        }
      }
    }
    return declared;
  }

  private static Set<String> declaredIn(Path sources) throws IOException {
    var declared = new HashSet<String>();
    try (Stream<Path> files = Files.walk(sources)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file ->
              DECLARATION
                  .matcher(read(file))
                  .results()
                  .forEach(found -> declared.add(found.group(1))));
    }
    return declared;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
