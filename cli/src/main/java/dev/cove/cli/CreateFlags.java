package dev.cove.cli;

import dev.cove.sdk.CreateOptions;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a new sandbox is to be. */
final class CreateFlags {
  @Option(names = "--name", paramLabel = "NAME", description = "A name, unique on the server.")
  private Optional<String> name = Optional.empty();

  @Option(
      names = "--template",
      paramLabel = "TEMPLATE",
      description = "What its files start from; default 'host': this machine's own programs.")
  private Optional<String> template = Optional.empty();

  @Option(names = "--tier", paramLabel = "TIER", description = "The isolation: 'container'.")
  private Optional<String> tier = Optional.empty();

  @Option(names = "--cpus", paramLabel = "N", description = "At most so many cpus, such as 0.5.")
  private Optional<Double> cpus = Optional.empty();

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = Megabytes.class,
      description = "At most so much memory: 512M, 2G, or a number of megabytes.")
  private Optional<Megabytes.Size> memory = Optional.empty();

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      converter = Megabytes.class,
      description = "At most so much written to disk.")
  private Optional<Megabytes.Size> disk = Optional.empty();

  @Option(
      names = "--max-processes",
      paramLabel = "N",
      description = "At most so many processes and threads.")
  private Optional<Integer> maxProcesses = Optional.empty();

  @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be given often.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "The same key gives the same sandbox, however often it is sent.")
  private Optional<String> idempotencyKey = Optional.empty();

  /** Variables come from the verb: they mean the sandbox's in create, the command's in run. */
  CreateOptions options(Map<String, String> env) {
    CreateOptions options = CreateOptions.defaults();
    options = with(options, name, CreateOptions::name);
    options = with(options, template, CreateOptions::template);
    options = with(options, tier, CreateOptions::tier);
    options = with(options, cpus, CreateOptions::cpus);
    options = with(options, memory.map(Megabytes.Size::count), CreateOptions::memoryMb);
    options = with(options, disk.map(Megabytes.Size::count), CreateOptions::diskMb);
    options = with(options, maxProcesses, CreateOptions::maxProcesses);
    options = with(options, idempotencyKey, CreateOptions::idempotencyKey);
    for (var label : labels.entrySet()) {
      options = options.label(label.getKey(), label.getValue());
    }
    for (var variable : env.entrySet()) {
      options = options.env(variable.getKey(), variable.getValue());
    }
    return options;
  }

  private interface Setter<T> {
    CreateOptions set(CreateOptions options, T value);
  }

  private static <T> CreateOptions with(
      CreateOptions options, Optional<T> value, Setter<T> setter) {
    return value.isPresent() ? setter.set(options, value.get()) : options;
  }
}
