package dev.cove.control.view;

import dev.cove.guest.FileInfo;
import java.util.Locale;
import java.util.Optional;

/**
 * What became of one file, folder or link.
 *
 * @param content whether what it holds differs: a file's bytes, or what a link points to
 */
public record Change(
    String path, Kind kind, boolean content, Optional<FileInfo> before, Optional<FileInfo> after) {
  /** What happened to it. */
  public enum Kind {
    ADDED,
    CHANGED,
    DELETED,
    TYPE_CHANGED;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
