package dev.cove.model;

import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Optional;

/**
 * What a sandbox keeps of the template that it began with, which may be gone or changed by now.
 *
 * @param name as it was asked for, perhaps with a tag
 * @param user whose rights commands have unless another is asked for
 * @param cwd where commands start unless told otherwise; empty for the user's home
 * @param entrypoint what runs where no command is given; may be empty
 * @param network what its sandboxes may reach unless it is said when they are made
 * @param life what happens to its sandboxes by themselves, unless something else is said of one
 */
public record SandboxTemplate(
    String name,
    Base base,
    String user,
    String cwd,
    List<String> entrypoint,
    Optional<NetworkSettings> network,
    LifeRules life) {
  public static final SandboxTemplate HOST =
      new SandboxTemplate("host", Base.HOST, "user", "", List.of());

  private static final int MAX_NAME = 256;

  public SandboxTemplate {
    entrypoint = List.copyOf(entrypoint);
    if (name.isBlank() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException("template must be 1 to %d characters".formatted(MAX_NAME));
    }
  }

  /** One that says nothing about networks and lives. */
  public SandboxTemplate(String name, Base base, String user, String cwd, List<String> entrypoint) {
    this(name, base, user, cwd, entrypoint, Optional.empty(), LifeRules.SILENT);
  }

  public SandboxTemplate named(String newName) {
    return new SandboxTemplate(newName, base, user, cwd, entrypoint, network, life);
  }

  public SandboxTemplate with(Optional<NetworkSettings> newNetwork) {
    return new SandboxTemplate(name, base, user, cwd, entrypoint, newNetwork, life);
  }
}
