package dev.cove.model.secret;

import java.util.regex.Pattern;

/** What a secret is called: capital letters, digits and {@code _}, a letter first. */
public record SecretName(String value) implements Comparable<SecretName> {
  private static final Pattern SHAPE = Pattern.compile("[A-Z][A-Z0-9_]{0,127}");

  public SecretName {
    if (!isValid(value)) {
      throw new IllegalArgumentException(
          "A secret's name is a capital letter and up to 127 capital letters, digits and _");
    }
  }

  public static boolean isValid(String value) {
    return SHAPE.matcher(value).matches();
  }

  @Override
  public int compareTo(SecretName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
