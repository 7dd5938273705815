package dev.cove.review.tree;

import dev.cove.model.file.ByteText;
import java.util.List;

/**
 * Where something lies below a folder. It leads down and nowhere else: no part is empty, {@code .}
 * or {@code ..}.
 *
 * @param text parts with {@code /} between them, as {@link ByteText} has names; empty for the
 *     folder itself
 */
public record TreePath(String text) implements Comparable<TreePath> {
  public static final TreePath ROOT = new TreePath("");

  private static final int MOST_BYTES = 4095;
  private static final int MOST_BYTES_OF_A_NAME = 255;

  public TreePath {
    if (!text.isEmpty()) {
      requireParts(text);
    }
  }

  private static void requireParts(String text) {
    if (ByteText.encode(text).length > MOST_BYTES) {
      throw new IllegalArgumentException("A path is longer than %d bytes".formatted(MOST_BYTES));
    }
    for (String part : text.split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
        throw new IllegalArgumentException(
            "A path has a part that is no name: " + ByteText.shown(text));
      }
      if (ByteText.encode(part).length > MOST_BYTES_OF_A_NAME) {
        throw new IllegalArgumentException(
            "A name is longer than %d bytes: %s"
                .formatted(MOST_BYTES_OF_A_NAME, ByteText.shown(part)));
      }
    }
  }

  public boolean isRoot() {
    return text.isEmpty();
  }

  public TreePath child(String name) {
    if (name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("A name has a slash: " + ByteText.shown(name));
    }
    return new TreePath(isRoot() ? name : text + "/" + name);
  }

  /** Of the folder itself: the folder itself. */
  public TreePath parent() {
    int slash = text.lastIndexOf('/');
    return slash < 0 ? ROOT : new TreePath(text.substring(0, slash));
  }

  public String name() {
    return text.substring(text.lastIndexOf('/') + 1);
  }

  public List<String> parts() {
    return isRoot() ? List.of() : List.of(text.split("/"));
  }

  public boolean isBelow(TreePath folder) {
    return folder.isRoot() ? !isRoot() : text.startsWith(folder.text + "/");
  }

  /** As it may be printed. */
  public String shown() {
    return ByteText.shown(text);
  }

  @Override
  public int compareTo(TreePath other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return shown();
  }
}
