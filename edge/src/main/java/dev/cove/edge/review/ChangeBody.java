package dev.cove.edge.review;

import dev.cove.control.sandbox.Reviews.Located;
import dev.cove.model.file.ByteText;
import dev.cove.review.change.Change;
import dev.cove.review.change.Danger;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A change as callers see it. Names and links are as they may be printed: what is no UTF-8, or
 * would move a cursor, is escaped.
 */
record ChangeBody(
    String project,
    String path,
    String kind,
    Optional<String> from,
    Optional<EntryBody> before,
    Optional<EntryBody> after,
    boolean binary,
    boolean hostChanged,
    boolean baseKnown,
    List<DangerBody> dangers) {
  static ChangeBody of(Located located) {
    Change change = located.reviewed().change();
    return new ChangeBody(
        located.workspace().target(),
        change.path().shown(),
        change.kind().name().toLowerCase(Locale.ROOT),
        change.from().map(TreePath::shown),
        change.before().map(entry -> EntryBody.of(entry, located.reviewed().linkBefore())),
        change.after().map(entry -> EntryBody.of(entry, located.reviewed().linkAfter())),
        change.dangers().contains(Danger.BINARY),
        change.hostChanged(),
        change.baseKnown(),
        change.dangers().stream().map(DangerBody::of).toList());
  }

  /** What lay or lies at the path. */
  record EntryBody(String type, String mode, long bytes, Optional<String> link) {
    static EntryBody of(Entry entry, Optional<String> link) {
      String type =
          switch (entry.kind()) {
            case FILE -> "file";
            case FOLDER -> "folder";
            case LINK -> "link";
            case WHITEOUT, SPECIAL -> "other";
          };
      return new EntryBody(
          type,
          "%04o".formatted(entry.permissions()),
          entry.kind() == Entry.Kind.FILE ? entry.size() : 0,
          link.map(ByteText::shown));
    }
  }

  /** Why it deserves a second look. */
  record DangerBody(String code, String text) {
    static DangerBody of(Danger danger) {
      return new DangerBody(danger.name().toLowerCase(Locale.ROOT), danger.reason());
    }
  }
}
