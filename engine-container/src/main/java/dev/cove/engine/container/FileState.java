package dev.cove.engine.container;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/** Which file it is and when it last changed: while this is the same, its bytes are. */
record FileState(long inode, long size, FileTime modified, FileTime changed) {
  /** Far more than the clock of a file system takes to advance. */
  private static final Duration SETTLED = Duration.ofMillis(50);

  static FileState of(Path file) throws IOException {
    var found =
        Files.readAttributes(
            file, "unix:ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
    return new FileState(
        (long) requireNonNull(found.get("ino")),
        (long) requireNonNull(found.get("size")),
        (FileTime) requireNonNull(found.get("lastModifiedTime")),
        (FileTime) requireNonNull(found.get("ctime")));
  }

  /** False when the next change could bear the same time as the last. */
  boolean settled() {
    return changed.toInstant().plus(SETTLED).isBefore(Instant.now());
  }
}
