package dev.cove.edge.archive;

/**
 * One member of a tar archive, as it names itself.
 *
 * @param linkName what a link points to, empty for anything else
 */
record TarEntry(String name, Kind kind, long size, int mode, String linkName) {
  /** What a member is; what is not listed here is refused while reading. */
  enum Kind {
    FILE,
    FOLDER,
    SYMLINK,
    HARD_LINK
  }
}
