package dev.cove.model;

import java.util.regex.Pattern;

/**
 * The name of a project: whose a sandbox, a volume or a key is.
 *
 * <p>It becomes part of file names and of headers, so nothing else is ever let in.
 */
public record ProjectName(String value) implements Comparable<ProjectName> {
  private static final Pattern SHAPE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

  /** Always there; what is made by nobody in particular is its. */
  public static final ProjectName DEFAULT = new ProjectName("default");

  public ProjectName {
    if (!isValid(value)) {
      throw new IllegalArgumentException(
          "A project's name is 1 to 40 lower-case letters, digits and hyphens, with no hyphen at an"
              + " end");
    }
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  public boolean isDefault() {
    return equals(DEFAULT);
  }

  @Override
  public int compareTo(ProjectName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
