package dev.cove.control.build;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names that can be used at one place of a stage. The environment wins over arguments.
 *
 * @param buildArguments what the caller gave; a name counts once an ARG has declared it
 * @param globals {@link Dockerfile#globals}: what an ARG without a value stands for
 * @param arguments those declared so far
 */
public record Variables(
    Map<String, String> buildArguments,
    Map<String, String> globals,
    Map<String, String> arguments,
    Map<String, String> environment) {
  /** The longest text one argument or variable of a process can have. */
  static final int MAX_VALUE = 128 * 1024 - 1;

  /** Of one step, and of the environment: beyond it no process could be started. */
  static final int MAX_TOTAL = 1024 * 1024;

  static final int MAX_VARIABLES = 4_096;

  public Variables {
    buildArguments = Map.copyOf(buildArguments);
    globals = Map.copyOf(globals);
    arguments = Map.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /**
   * At the beginning of a stage.
   *
   * @param environment of the image or stage it starts from
   */
  public static Variables atStart(
      Map<String, String> buildArguments,
      Map<String, String> globals,
      Map<String, String> environment) {
    return new Variables(buildArguments, globals, Map.of(), environment);
  }

  /** After a step whose own variables have been filled in. */
  public Variables after(Step expanded) {
    return switch (expanded) {
      case Step.Env env ->
          new Variables(
              buildArguments, globals, arguments, with(env.line(), environment, env.values()));
      case Step.Argument argument ->
          value(argument)
              .map(value -> with(argument.line(), arguments, Map.of(argument.name(), value)))
              .map(changed -> new Variables(buildArguments, globals, changed, environment))
              .orElse(this);
      default -> this;
    };
  }

  private Optional<String> value(Step.Argument argument) {
    return Optional.ofNullable(buildArguments.get(argument.name()))
        .or(argument::defaultValue)
        .or(() -> Optional.ofNullable(globals.get(argument.name())));
  }

  private static Map<String, String> with(
      int line, Map<String, String> before, Map<String, String> more) {
    var both = new HashMap<>(before);
    both.putAll(more);
    requireTotal(line, both.values());
    if (both.size() > MAX_VARIABLES) {
      throw new BuildException(line, "There are more than %d variables".formatted(MAX_VARIABLES));
    }
    return both;
  }

  private static void requireTotal(int line, Collection<String> values) {
    if (values.stream().mapToLong(String::length).sum() > MAX_TOTAL) {
      throw new BuildException(
          line,
          "All values together have more than %d characters once variables are filled in"
              .formatted(MAX_TOTAL));
    }
  }

  Optional<String> find(String name) {
    return Optional.ofNullable(environment.get(name))
        .or(() -> Optional.ofNullable(arguments.get(name)));
  }

  List<String> expand(int line, List<String> texts) {
    var expanded = new ArrayList<String>();
    long total = 0;
    for (String text : texts) {
      expanded.add(expand(line, text));
      total += expanded.getLast().length();
      if (total > MAX_TOTAL) {
        requireTotal(line, expanded);
      }
    }
    return expanded;
  }

  String expand(int line, String text) {
    return new Expansion(this, line, text).run();
  }

  /** The text that stands for {@code value} itself where variables are filled in. */
  public static String literal(String value) {
    return value.replace("\\", "\\\\").replace("$", "\\$");
  }
}
