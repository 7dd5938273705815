package dev.cove.control.usage;

import dev.cove.model.SandboxId;
import java.util.Locale;

/**
 * Whose budget it is.
 *
 * @param name a sandbox's id, or a project's name
 */
public record BudgetHolder(Kind kind, String name) {
  /** What may have a budget. */
  public enum Kind {
    SANDBOX,
    PROJECT;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static BudgetHolder of(SandboxId id) {
    return new BudgetHolder(Kind.SANDBOX, id.value());
  }

  public static BudgetHolder ofProject(String project) {
    return new BudgetHolder(Kind.PROJECT, project);
  }

  @Override
  public String toString() {
    return kind.publicName() + " " + name;
  }
}
