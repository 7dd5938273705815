package dev.cove.model.secret;

import dev.cove.model.ProjectName;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * What a secret is called, and by whom.
 *
 * @param value capital letters, digits and {@code _}, a letter first
 */
public record SecretName(ProjectName project, String value) implements Comparable<SecretName> {
  private static final Comparator<SecretName> ORDER =
      Comparator.comparing(SecretName::project).thenComparing(SecretName::value);
  private static final Pattern SHAPE = Pattern.compile("[A-Z][A-Z0-9_]{0,127}");

  public SecretName {
    if (!isValid(value)) {
      throw new IllegalArgumentException(
          "A secret's name is a capital letter and up to 127 capital letters, digits and _");
    }
  }

  /** One of the default project. */
  public SecretName(String value) {
    this(ProjectName.DEFAULT, value);
  }

  /**
   * What {@link #toString} wrote.
   *
   * @throws IllegalArgumentException it did not
   */
  public static SecretName parse(String text) {
    int at = text.indexOf('@');
    return at < 0
        ? new SecretName(text)
        : new SecretName(new ProjectName(text.substring(at + 1)), text.substring(0, at));
  }

  /** What that project calls so. */
  public SecretName in(ProjectName owner) {
    return new SecretName(owner, value);
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  @Override
  public int compareTo(SecretName other) {
    return ORDER.compare(this, other);
  }

  /** Unique on a server: with the project behind it where that is not the default one. */
  @Override
  public String toString() {
    return project.isDefault() ? value : value + "@" + project;
  }
}
