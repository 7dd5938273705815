package dev.cove.model;

import java.util.List;

/**
 * What a sandbox keeps of the template that it began with, which may be gone or changed by now.
 *
 * @param name as it was asked for, perhaps with a tag
 * @param user whose rights commands have unless another is asked for
 * @param cwd where commands start unless told otherwise; empty for the user's home
 * @param entrypoint what runs where no command is given; may be empty
 */
public record SandboxTemplate(
    String name, Base base, String user, String cwd, List<String> entrypoint) {
  public static final SandboxTemplate HOST =
      new SandboxTemplate("host", Base.HOST, "user", "", List.of());

  private static final int MAX_NAME = 256;

  public SandboxTemplate {
    entrypoint = List.copyOf(entrypoint);
    if (name.isBlank() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException("template must be 1 to %d characters".formatted(MAX_NAME));
    }
  }

  public SandboxTemplate named(String newName) {
    return new SandboxTemplate(newName, base, user, cwd, entrypoint);
  }
}
