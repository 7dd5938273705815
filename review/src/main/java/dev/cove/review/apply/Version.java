package dev.cove.review.apply;

import dev.cove.review.tree.Digests;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** What lies at a path, for one of those who have a say in it. */
public sealed interface Version {
  /** Nothing. */
  record Absent() implements Version {}

  /** All folders are the same; the permissions are for one that has to be made. */
  record Folder(int permissions) implements Version {
    @Override
    public boolean equals(Object other) {
      return other instanceof Folder;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  /**
   * A file.
   *
   * @param permissions the nine; setuid and the like are nobody's to hand over
   */
  record File(Content content, int permissions) implements Version {
    public File {
      permissions &= 0777;
    }
  }

  record Link(String target) implements Version {}

  /** A pipe, a socket or a device. No two are the same, and none is ever made. */
  record Special() implements Version {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /** Reads what a folder has at a path. */
  static Version at(HeldFolder folder, TreePath path) throws IOException {
    Optional<Entry> found = folder.find(path);
    if (found.isEmpty()) {
      return new Absent();
    }
    Entry entry = found.get();
    return switch (entry.kind()) {
      case FOLDER -> new Folder(entry.permissions() & 0777);
      case LINK -> new Link(folder.linkTarget(path));
      case FILE -> new File(content(folder, path, entry), entry.permissions());
      case WHITEOUT, SPECIAL -> new Special();
    };
  }

  /** What is larger is not read to know it again, and is never taken over. */
  long LARGEST_READ = 1L << 30;

  private static Content content(HeldFolder folder, TreePath path, Entry entry) throws IOException {
    if (entry.size() > LARGEST_READ) {
      String known = "%d bytes of %s".formatted(entry.size(), entry.changedAt());
      return new Content(known, entry.size(), () -> folder.read(path));
    }
    try (InputStream in = folder.read(path)) {
      return new Content(Digests.of(in), entry.size(), () -> folder.read(path));
    }
  }

  /** In a few words, for people. */
  default String shown() {
    return switch (this) {
      case Absent _ -> "nothing";
      case Folder _ -> "a folder";
      case File _ -> "a file";
      case Link _ -> "a link";
      case Special _ -> "a pipe, a socket or a device";
    };
  }
}
