package dev.cove.control.template;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a template is asked for: {@code name}, {@code name:tag} or {@code name@version}.
 *
 * <p>Names may look like those of images, with a registry's host and port before a slash, so a
 * colon begins a tag only after the last slash.
 */
public record TemplateReference(String name, Optional<String> tag, Optional<Integer> version) {
  public static final String LATEST = "latest";

  private static final int MAX_NAME = 200;
  private static final Pattern NAME =
      Pattern.compile(
          "[a-z0-9]+(?:(?:[._:]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
  private static final Pattern SHAPE = Pattern.compile("(.+?)(?::([^:/@]+)|@([0-9]{1,9}))?");

  /**
   * @throws IllegalArgumentException saying what a reference looks like
   */
  public static TemplateReference parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("template must not be empty");
    }
    return new TemplateReference(
        requireName(parts.group(1)),
        Optional.ofNullable(parts.group(2)).map(TemplateReference::requireTag),
        Optional.ofNullable(parts.group(3)).map(Integer::valueOf));
  }

  public static String requireName(String name) {
    if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "A template's name has at most %d lower-case letters, digits and . _ - between them, and"
                  .formatted(MAX_NAME)
              + " perhaps parts with slashes between them");
    }
    return name;
  }

  public static String requireTag(String tag) {
    if (!TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(
          "A tag has at most 128 letters, digits, _ . and -, and begins with a letter or digit");
    }
    return tag;
  }
}
