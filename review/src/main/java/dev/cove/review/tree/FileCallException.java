package dev.cove.review.tree;

import dev.cove.model.file.ByteText;
import java.io.IOException;

/** The kernel refused a call on a file. */
public final class FileCallException extends IOException {
  private static final long serialVersionUID = 1;

  static final int ENOENT = 2;
  static final int EEXIST = 17;
  static final int EXDEV = 18;
  static final int ENOTDIR = 20;
  static final int ENOTEMPTY = 39;
  static final int ELOOP = 40;
  static final int ENODATA = 61;
  static final int EOPNOTSUPP = 95;

  private final int error;

  FileCallException(String call, String name, int error) {
    super("%s: %s (%s)".formatted(ByteText.shown(name), reason(error), call));
    this.error = error;
  }

  private static String reason(int error) {
    return switch (error) {
      case 1, 13 -> "not permitted";
      case ENOENT -> "not there";
      case EEXIST -> "something is there already";
      case EXDEV -> "lies on another file system, or leads out of its folder";
      case ENOTDIR -> "a part of the path is no folder";
      case ENOTEMPTY -> "the folder is not empty";
      case ELOOP -> "a symbolic link is in the way, and none is followed";
      case 28 -> "no space is left";
      case 30 -> "the file system is read-only";
      default -> "error " + error;
    };
  }

  /** Nothing can be at such a path, for the time being. */
  public boolean meansAbsent() {
    return error == ENOENT || error == ENOTDIR;
  }

  public boolean meansOccupied() {
    return error == EEXIST || error == ENOTEMPTY;
  }

  /** The way there is not made of folders of the tree alone. */
  public boolean meansDetour() {
    return error == ELOOP || error == EXDEV;
  }

  int error() {
    return error;
  }
}
