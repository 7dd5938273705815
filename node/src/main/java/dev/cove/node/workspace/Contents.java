package dev.cove.node.workspace;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.file.ByteText;
import dev.cove.node.NodeWorkspaces.Which;
import dev.cove.review.apply.Base;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Version;
import dev.cove.review.change.Change;
import dev.cove.review.text.GitPatch;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;

/** The bytes of versions, for people who look at changes. All in memory, and so limited. */
final class Contents {
  private static final int LARGEST = 32 << 20;
  private static final int LARGEST_IN_PATCH = 4 << 20;
  private static final int LARGEST_PATCH = 64 << 20;

  /** What git shows of a file that is no text; too large is as good as that. */
  private static final byte[] NO_TEXT = {0};

  private final Reading reading;

  Contents(Reading reading) {
    this.reading = reading;
  }

  Optional<byte[]> find(TreePath path, Which which) throws IOException {
    if (which != Which.SANDBOX && reading.hidden().test(path)) {
      throw new CoveException(
          ErrorCode.FORBIDDEN, "%s is hidden, and so is what the host has there.".formatted(path));
    }
    Optional<Change> change =
        reading.changes(List.of(path)).stream()
            .filter(one -> one.path().equals(path) || one.from().filter(path::equals).isPresent())
            .findFirst();
    Version version =
        switch (which) {
          case HOST -> reading.hostVersion(path);
          case SANDBOX -> inSandbox(path, change);
          case BASE -> base(path, change);
        };
    return switch (version) {
      case Version.File(var content, var _) -> Optional.of(bytes(path, content));
      case Version.Link(var target) -> Optional.of(ByteText.encode(target));
      case Version.Absent _, Version.Folder _, Version.Special _ -> Optional.empty();
    };
  }

  /** What shows through from the host is the sandbox's as well, unless it is hidden. */
  private Version inSandbox(TreePath path, Optional<Change> change) throws IOException {
    boolean written = reading.sandbox().find(path).isPresent();
    if (written || change.isPresent()) {
      return reading.sandbox().version(path);
    }
    return reading.hidden().test(path) ? new Version.Absent() : reading.hostVersion(path);
  }

  private Version base(TreePath path, Optional<Change> change) throws IOException {
    Base base =
        change.isPresent()
            ? reading.base(change.get())
            : reading.bases().find(path).orElse(new Base.Known(reading.hostVersion(path)));
    if (base instanceof Base.Known(var version)) {
      return version;
    }
    throw new CoveException(
        ErrorCode.CONFLICT,
        "What %s was before is not known: the host's file has changed since.".formatted(path));
  }

  private static byte[] bytes(TreePath path, Content content) throws IOException {
    if (content.size() > LARGEST) {
      throw new CoveException(
          ErrorCode.TOO_LARGE,
          "%s has %d bytes, at most %d are shown.".formatted(path, content.size(), LARGEST));
    }
    try (InputStream in = content.open()) {
      return in.readNBytes(LARGEST);
    } catch (NoSuchFileException e) {
      throw new CoveException(
          ErrorCode.CONFLICT, "Of %s before, only the digest was kept.".formatted(path), e);
    }
  }

  byte[] patch(List<TreePath> below) throws IOException {
    var patch = new GitPatch();
    for (Change change : reading.changes(below)) {
      add(patch, change);
    }
    return patch.bytes();
  }

  private void add(GitPatch patch, Change change) throws IOException {
    add(patch, before(change), after(change), change.kind() == Change.Kind.TYPE);
  }

  /**
   * @param other whether the two are no versions of the same kind of thing
   */
  static void add(
      GitPatch patch,
      Optional<GitPatch.Side> before,
      Optional<GitPatch.Side> after,
      boolean other) {
    if (before.isPresent() && after.isPresent() && !other) {
      patch.changed(before.get(), after.get());
    } else {
      before.ifPresent(patch::deleted);
      after.ifPresent(patch::added);
    }
    if (patch.size() > LARGEST_PATCH) {
      throw new CoveException(
          ErrorCode.TOO_LARGE,
          "The patch is larger than %d MiB; ask for some paths at a time."
              .formatted(LARGEST_PATCH >> 20));
    }
  }

  /** Where it is not known what was before, the host's version stands in for it. */
  private Optional<GitPatch.Side> before(Change change) throws IOException {
    TreePath path = change.from().orElse(change.path());
    if (change.before().isEmpty() || reading.hidden().test(path)) {
      return Optional.empty();
    }
    Version version =
        reading.base(change) instanceof Base.Known(var known) ? known : reading.hostVersion(path);
    return side(path, version);
  }

  private Optional<GitPatch.Side> after(Change change) throws IOException {
    boolean large =
        change
            .after()
            .filter(entry -> entry.kind() == Entry.Kind.FILE && entry.size() > LARGEST_IN_PATCH)
            .isPresent();
    if (large) {
      return Optional.of(GitPatch.Side.file(change.path(), NO_TEXT));
    }
    return change.after().isEmpty()
        ? Optional.empty()
        : side(change.path(), reading.sandbox().version(change.path()));
  }

  static Optional<GitPatch.Side> side(TreePath path, Version version) throws IOException {
    return switch (version) {
      case Version.File(var content, var permissions) -> {
        byte[] bytes = content.size() > LARGEST_IN_PATCH ? NO_TEXT : bytes(path, content);
        yield Optional.of(
            (permissions & 0111) != 0
                ? GitPatch.Side.program(path, bytes)
                : GitPatch.Side.file(path, bytes));
      }
      case Version.Link(var target) -> Optional.of(GitPatch.Side.link(path, target));
      case Version.Absent _, Version.Folder _, Version.Special _ -> Optional.empty();
    };
  }
}
