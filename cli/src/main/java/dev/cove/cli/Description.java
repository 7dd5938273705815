package dev.cove.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Describes a verb to picocli.
 *
 * <p>In code, not by annotations: the JVM makes a proxy class for each kind of annotation that is
 * read, which no AOT cache can hold. For one verb that is 85 ms of processor time, more than all
 * the rest together.
 */
final class Description {
  private final CommandSpec spec;
  private final List<String> footer = new ArrayList<>();

  private Description(CommandSpec spec) {
    this.spec = spec;
  }

  static Description of(Callable<Integer> verb, String text) {
    var description = new Description(CommandSpec.wrapWithoutInspection(verb));
    description.spec.usageMessage().description(text);
    return description;
  }

  /** A word that only has verbs below it. */
  static Description ofGroup(String text) {
    var description = new Description(CommandSpec.create());
    description.spec.usageMessage().description(text).synopsisSubcommandLabel("VERB");
    return description;
  }

  /** Option names are separated by a space. */
  Description flag(String names, String text, Runnable whenGiven) {
    return option(
        OptionSpec.builder(names.split(" ")).type(boolean.class).arity("0"),
        text,
        new Binding<Boolean>(_ -> whenGiven.run()));
  }

  Description text(String names, String label, String text, Consumer<String> target) {
    return value(names, label, text, value -> value, String.class, target);
  }

  <T> Description value(
      String names,
      String label,
      String text,
      ITypeConverter<T> converter,
      Class<T> type,
      Consumer<T> target) {
    return option(
        OptionSpec.builder(names.split(" ")).type(type).converters(converter).paramLabel(label),
        text,
        new Binding<>(target));
  }

  /** An option that may stand without its value, which is then {@code whenBare}. */
  <T> Description optionalValue(
      String names, String label, String whenBare, String text, Class<T> type, Consumer<T> target) {
    return option(
        OptionSpec.builder(names.split(" "))
            .type(type)
            .arity("0..1")
            .fallbackValue(whenBare)
            .paramLabel(label),
        text,
        new Binding<>(target));
  }

  /** May be given often. */
  Description texts(String names, String label, String text, Consumer<List<String>> target) {
    return values(names, label, text, value -> value, String.class, target);
  }

  /** May be given often. */
  <T> Description values(
      String names,
      String label,
      String text,
      ITypeConverter<T> converter,
      Class<T> type,
      Consumer<List<T>> target) {
    return option(
        OptionSpec.builder(names.split(" "))
            .type(List.class)
            .auxiliaryTypes(type)
            .converters(converter)
            .paramLabel(label),
        text,
        new Binding<>(target));
  }

  /** May be given often; each is {@code KEY=VALUE}. */
  Description pairs(String names, String text, Consumer<Map<String, String>> target) {
    return option(
        OptionSpec.builder(names.split(" "))
            .type(Map.class)
            .auxiliaryTypes(String.class, String.class)
            .paramLabel("KEY=VALUE"),
        text,
        new Binding<>(target));
  }

  private Description option(OptionSpec.Builder option, String text, Binding<?> binding) {
    spec.addOption(option.description(text).getter(binding).setter(binding).build());
    return this;
  }

  Description parameter(String label, String text, Consumer<String> target) {
    return parameter(label, text, value -> value, String.class, target);
  }

  <T> Description parameter(
      String label, String text, ITypeConverter<T> converter, Class<T> type, Consumer<T> target) {
    return parameter("1", label, text, converter, type, target);
  }

  /** A word that may be missing. */
  Description optionalParameter(String label, String text, Consumer<String> target) {
    return parameter("0..1", label, text, value -> value, String.class, target);
  }

  private <T> Description parameter(
      String arity,
      String label,
      String text,
      ITypeConverter<T> converter,
      Class<T> type,
      Consumer<T> target) {
    var binding = new Binding<T>(target);
    spec.addPositional(
        PositionalParamSpec.builder()
            .index(Integer.toString(spec.positionalParameters().size()))
            .arity(arity)
            .required(!arity.startsWith("0"))
            .type(type)
            .converters(converter)
            .paramLabel(label)
            .description(text)
            .getter(binding)
            .setter(binding)
            .build());
    return this;
  }

  /** All that follow. */
  Description parameters(String arity, String label, String text, Consumer<List<String>> target) {
    spec.addPositional(rest(arity, label, target).description(text).build());
    return this;
  }

  /** Words that have no place here, taken all the same so that the verb can say why not. */
  Description strayWords(Consumer<List<String>> target) {
    spec.addPositional(rest("0..*", "WORD", target).hidden(true).build());
    return this;
  }

  private PositionalParamSpec.Builder rest(
      String arity, String label, Consumer<List<String>> target) {
    var binding = new Binding<List<String>>(target);
    return PositionalParamSpec.builder()
        .index(spec.positionalParameters().size() + "..*")
        .arity(arity)
        .required(!arity.startsWith("0"))
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel(label)
        .getter(binding)
        .setter(binding);
  }

  /** Adds options that several verbs share. */
  Description with(Consumer<Description> shared) {
    shared.accept(this);
    return this;
  }

  Description verb(String name, CommandSpec verb) {
    spec.addSubcommand(name, verb);
    return this;
  }

  /** Says how to call it where picocli can't know that some words exclude others. */
  Description synopsis(String first, String... others) {
    List<String> lines = new ArrayList<>(List.of(first));
    for (String other : others) {
      lines.add("   or: " + other);
    }
    spec.usageMessage().customSynopsis(lines.toArray(String[]::new));
    return this;
  }

  Description examples(String... lines) {
    footer.add("");
    footer.add(lines.length == 1 ? "Example:" : "Examples:");
    for (String line : lines) {
      footer.add("  " + line);
    }
    return this;
  }

  Description note(String line) {
    footer.add("");
    footer.add(line);
    return this;
  }

  CommandSpec build() {
    // Picocli formats these texts; our percent signs stand for themselves.
    String[] lines = footer.stream().map(line -> line.replace("%", "%%")).toArray(String[]::new);
    spec.usageMessage().footer(lines);
    return spec;
  }

  /** Holds a value for picocli, which asks for it back, and hands it on. */
  private static final class Binding<T> implements IGetter, ISetter {
    private final Consumer<T> target;
    private @Nullable Object value;

    Binding(Consumer<T> target) {
      this.target = target;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // picocli's own signatures
    public <X> @Nullable X get() {
      return (X) value;
    }

    @Override
    @SuppressWarnings("unchecked") // picocli has converted it to the declared type
    public <X> @Nullable X set(@Nullable X newValue) {
      X before = (X) value;
      value = newValue;
      // Null is how picocli clears a value before it parses.
      if (newValue != null) {
        target.accept((T) newValue);
      }
      return before;
    }
  }
}
