package dev.cove.guest;

import java.time.Instant;

/**
 * A file as the sandbox sees it.
 *
 * @param mode permission bits, without the type
 * @param linkTarget what a symbolic link says, empty for anything else
 */
public record FileInfo(
    String path,
    Type type,
    long size,
    int mode,
    int uid,
    int gid,
    Instant modifiedAt,
    String linkTarget) {
  /** What kind of file it is. */
  public enum Type {
    FILE,
    FOLDER,
    SYMLINK,
    OTHER
  }
}
