package dev.cove.review.tree;

import java.time.Instant;

/**
 * What lies at a path, without its content.
 *
 * @param permissions all twelve bits, those for setuid, setgid and sticky included
 * @param changedAt the kernel's own time of the last change, which no program can set
 */
public record Entry(
    Kind kind, int permissions, long size, int links, int uid, int gid, Instant changedAt) {

  public enum Kind {
    FILE,
    FOLDER,
    LINK,
    /** How an overlay says that something below it is not there: a device with the number 0/0. */
    WHITEOUT,
    /** A pipe, a socket or a device. */
    SPECIAL
  }

  private static final int SET_ID = 06000;
  private static final int EXECUTABLE = 0111;

  public boolean isSetId() {
    return (permissions & SET_ID) != 0;
  }

  public boolean isExecutable() {
    return kind == Kind.FILE && (permissions & EXECUTABLE) != 0;
  }
}
