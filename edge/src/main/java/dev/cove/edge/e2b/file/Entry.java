package dev.cove.edge.e2b.file;

import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import java.time.Instant;
import java.util.Optional;

/**
 * A file as E2B describes it. A symbolic link has the kind and the mode of what it leads to.
 *
 * @param size as text, for it has 64 bits
 */
record Entry(
    String name,
    String type,
    String path,
    String size,
    int mode,
    String permissions,
    String owner,
    String group,
    Instant modifiedTime,
    Optional<String> symlinkTarget) {
  private static final int PERMISSIONS = 0777;
  private static final int MAX_LINKS = 40;

  /**
   * @param info of the path itself, where that is a link
   */
  static Entry of(FileInfo info, UserFiles files, Accounts accounts) {
    Optional<FileInfo> target =
        info.type() == FileInfo.Type.SYMLINK ? resolve(info, files) : Optional.empty();
    FileInfo shown = target.orElse(info);
    return new Entry(
        info.path().substring(info.path().lastIndexOf('/') + 1),
        type(shown.type()),
        info.path(),
        String.valueOf(info.size()),
        shown.mode() & PERMISSIONS,
        permissions(info),
        accounts.userName(info.uid()),
        accounts.groupName(info.gid()),
        info.modifiedAt(),
        target.map(FileInfo::path));
  }

  /** Where a link ends; nowhere if what it leads to is not there. */
  private static Optional<FileInfo> resolve(FileInfo link, UserFiles files) {
    FileInfo here = link;
    for (int steps = 0; here.type() == FileInfo.Type.SYMLINK; steps++) {
      String said = here.linkTarget();
      String next = said.startsWith("/") ? said : UserFiles.parent(here.path()) + "/" + said;
      Optional<FileInfo> there = Optional.empty();
      try {
        there = files.find(Person.clean(next), false);
      } catch (GuestException _) {
        // A file in place of a folder on the way, and the like: it leads nowhere.
      }
      if (steps == MAX_LINKS || there.isEmpty()) {
        return Optional.empty();
      }
      here = there.get();
    }
    return Optional.of(here);
  }

  private static String type(FileInfo.Type type) {
    return switch (type) {
      case FILE -> "FILE_TYPE_FILE";
      case FOLDER -> "FILE_TYPE_DIRECTORY";
      case SYMLINK, OTHER -> "FILE_TYPE_UNSPECIFIED";
    };
  }

  private static String permissions(FileInfo info) {
    var text =
        new StringBuilder(
            switch (info.type()) {
              case FILE -> "-";
              case FOLDER -> "d";
              case SYMLINK -> "L";
              case OTHER -> "?";
            });
    for (int bit = 8; bit >= 0; bit--) {
      text.append((info.mode() >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
    }
    return text.toString();
  }
}
