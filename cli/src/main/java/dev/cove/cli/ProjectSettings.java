package dev.cove.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.TypeConversionException;

/**
 * What a project's {@code cove.toml} says of the sandboxes that work on it; what is said on the
 * command line comes first.
 *
 * <p>The file comes with the project, perhaps from somebody else. So it can neither bind secrets
 * nor show what is hidden, and what it asks for is told each time.
 */
record ProjectSettings(
    Optional<String> template,
    Optional<String> image,
    Optional<Double> cpus,
    Optional<Megabytes.Size> memory,
    Optional<Megabytes.Size> disk,
    Map<String, String> env,
    List<String> hide,
    List<String> presets,
    List<String> allow,
    List<String> agentArguments,
    List<String> said) {
  static final String FILE = "cove.toml";

  private static final String ENV = "env.";

  static final ProjectSettings NONE =
      new ProjectSettings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of());

  /** Of that folder; nothing where it has no such file. */
  static ProjectSettings of(Path folder) {
    Path file = folder.resolve(FILE);
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      return NONE;
    } catch (CharacterCodingException e) {
      throw new UserError("%s is not UTF-8".formatted(Escapes.visible(file.toString())), e);
    } catch (IOException e) {
      throw UserError.of("%s can't be read".formatted(Escapes.visible(file.toString())), e);
    }
    try {
      return new Reading(Toml.parse(text)).read();
    } catch (Toml.Fault e) {
      throw new UserError(
          "%s, line %d: %s"
              .formatted(Escapes.visible(file.toString()), e.line(), Escapes.visible(e.sentence())),
          e);
    }
  }

  /** Says what holds because of the file. */
  void tell(Session session) {
    if (!said.isEmpty()) {
      session.note("cove: %s says: %s".formatted(FILE, String.join("; ", said)));
    }
  }

  /** Takes each value as what it must be, and refuses those that nobody asked for. */
  private static final class Reading {
    private final Map<String, Toml.Value> values;
    private final List<String> said = new ArrayList<>();

    Reading(Map<String, Toml.Value> values) {
      this.values = new TreeMap<>(values);
    }

    ProjectSettings read() {
      var settings =
          new ProjectSettings(
              text("sandbox.template"),
              text("sandbox.image"),
              take("sandbox.cpus", Double.class, "a number"),
              size("sandbox.memory"),
              size("sandbox.disk"),
              env(),
              list("project.hide"),
              list("network.preset"),
              list("network.allow"),
              list("agent.arguments"),
              said);
      values.forEach((key, value) -> {
        throw new Toml.Fault(value.line(), "there is no setting '%s'".formatted(key));
      });
      return settings;
    }

    private <T> Optional<T> take(String key, Class<T> type, String what) {
      Toml.Value value = values.remove(key);
      if (value == null) {
        return Optional.empty();
      }
      if (!type.isInstance(value.value())) {
        throw new Toml.Fault(value.line(), "'%s' must be %s".formatted(key, what));
      }
      said.add(Escapes.visible(key + " " + value.value()));
      return Optional.of(type.cast(value.value()));
    }

    private Optional<String> text(String key) {
      return take(key, String.class, "a string");
    }

    private Optional<Megabytes.Size> size(String key) {
      int line = values.containsKey(key) ? values.get(key).line() : 0;
      return text(key)
          .map(text -> {
            try {
              return new Megabytes().convert(text);
            } catch (TypeConversionException e) {
              throw new Toml.Fault(line, "'%s': %s".formatted(key, e.getMessage()));
            }
          });
    }

    private List<String> list(String key) {
      Toml.Value value = values.remove(key);
      if (value == null) {
        return List.of();
      }
      if (!(value.value() instanceof List<?> items)) {
        throw new Toml.Fault(value.line(), "'%s' must be a list of strings".formatted(key));
      }
      List<String> texts = items.stream().map(String.class::cast).toList();
      said.add(Escapes.visible(key + " " + String.join(", ", texts)));
      return texts;
    }

    private Map<String, String> env() {
      Map<String, String> env = new TreeMap<>();
      for (String key : List.copyOf(values.keySet())) {
        if (key.startsWith(ENV)) {
          text(key).ifPresent(value -> env.put(key.substring(ENV.length()), value));
        }
      }
      return env;
    }
  }
}
