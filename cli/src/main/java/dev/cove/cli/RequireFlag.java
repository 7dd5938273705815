package dev.cove.cli;

import dev.cove.sdk.CreateOptions;

/** One thing that must be true of what holds a sandbox. */
final class RequireFlag {
  static final String LABEL =
      "kernel=own|hardware|memory-on-pause=ram|memory-on-pause=disk|memory-in-checkpoints";

  private RequireFlag() {}

  static CreateOptions apply(String text, CreateOptions options) {
    return switch (text) {
      case "kernel=own" -> options.requireOwnKernel();
      case "hardware", "hardware=true" -> options.requireHardware();
      case "memory-on-pause=ram" -> options.requireMemoryOnPause("ram");
      case "memory-on-pause=disk" -> options.requireMemoryOnPause("disk");
      case "memory-in-checkpoints" -> options.requireMemoryInCheckpoints();
      default ->
          throw new Misuse(
              "--require takes %s, and not '%s'".formatted(LABEL.replace("|", ", "), text));
    };
  }
}
