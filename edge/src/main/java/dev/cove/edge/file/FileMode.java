package dev.cove.edge.file;

import java.util.regex.Pattern;

/** Permission bits as callers write them, in octal. */
public final class FileMode {
  private static final Pattern SHAPE = Pattern.compile("[0-7]{3,4}");

  private FileMode() {}

  static int require(String field, String mode) {
    if (!SHAPE.matcher(mode).matches()) {
      throw new IllegalArgumentException(field + " must be 3 or 4 octal digits such as 0644");
    }
    return Integer.parseInt(mode, 8);
  }

  public static String text(int mode) {
    return "%04o".formatted(mode);
  }
}
