package dev.cove.edge.exec;

import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxTemplate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A user inside a sandbox, by name or number. */
public final class GuestUser {
  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

  private GuestUser() {}

  /** The template's user when none is named. */
  public static String require(@Nullable String user, SandboxSpec sandbox) {
    return require(user, sandbox.template());
  }

  public static String require(@Nullable String user, SandboxTemplate template) {
    return require(user, template.user());
  }

  public static String require(@Nullable String user, String standard) {
    if (user == null) {
      return standard;
    }
    if (!SHAPE.matcher(user).matches()) {
      throw new IllegalArgumentException(
          "user must be a name or number of at most 64 letters, digits, _ . or -");
    }
    return user;
  }
}
