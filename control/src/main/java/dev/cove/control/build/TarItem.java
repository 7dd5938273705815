package dev.cove.control.build;

/**
 * What a tar archive says about one entry.
 *
 * @param name relative, without {@code .}, {@code ..} and a slash at either end
 * @param linkTarget of links; empty for all else
 * @param modified seconds since 1970
 */
record TarItem(
    String name,
    Kind kind,
    int mode,
    long size,
    String linkTarget,
    long uid,
    long gid,
    long modified) {
  static final int PERMISSIONS = 07777;

  enum Kind {
    FILE,
    FOLDER,
    SYMLINK,
    HARD_LINK,
    /** Devices and pipes. */
    OTHER
  }

  static TarItem folder(String name) {
    return new TarItem(name, Kind.FOLDER, 0755, 0, "", 0, 0, 0);
  }

  boolean is(Kind other) {
    return kind == other;
  }

  TarItem named(String changed) {
    return new TarItem(changed, kind, mode, size, linkTarget, uid, gid, modified);
  }

  TarItem linkedTo(String changed) {
    return new TarItem(name, kind, mode, size, changed, uid, gid, modified);
  }

  TarItem owned(long changedUid, long changedGid) {
    return new TarItem(name, kind, mode, size, linkTarget, changedUid, changedGid, modified);
  }

  /** A symbolic link has no mode of its own. */
  TarItem withMode(int changed) {
    return is(Kind.SYMLINK)
        ? this
        : new TarItem(name, kind, changed, size, linkTarget, uid, gid, modified);
  }
}
