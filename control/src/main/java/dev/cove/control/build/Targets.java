package dev.cove.control.build;

import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;

/** Where a COPY leads, as the stage's own files have it. */
final class Targets {
  private Targets() {}

  /** Whether it is a folder, although it may not be written as one. */
  static boolean isFolder(GuestFiles files, Step.Copy copy, String workdir) {
    try {
      String path = "/" + CopyTarget.of(copy, workdir).path();
      return files.stat(path, true).type() == FileInfo.Type.FOLDER;
    } catch (GuestException _) {
      return false;
    }
  }

  /**
   * @param path relative to the root
   */
  static void make(GuestFiles files, String path) {
    if (!path.isEmpty()) {
      files.mkdir("/" + path, 0755, true);
    }
  }
}
