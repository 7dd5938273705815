package dev.cove.edge.checkpoint;

import dev.cove.control.view.Change;
import dev.cove.control.view.Difference;
import dev.cove.edge.file.FileMode;
import dev.cove.guest.FileInfo;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How two states of files differ, as callers see it. */
record DiffBody(List<ChangeBody> items, boolean truncated) {
  static DiffBody of(Difference difference) {
    return new DiffBody(
        difference.changes().stream().map(ChangeBody::of).toList(), difference.truncated());
  }

  record ChangeBody(
      String path,
      String kind,
      boolean content,
      Optional<StateBody> before,
      Optional<StateBody> after) {
    private static ChangeBody of(Change change) {
      return new ChangeBody(
          change.path(),
          change.kind().publicName(),
          change.content(),
          change.before().map(StateBody::of),
          change.after().map(StateBody::of));
    }
  }

  record StateBody(
      String type, String mode, int uid, int gid, long size, Optional<String> linkTarget) {
    private static StateBody of(FileInfo info) {
      return new StateBody(
          info.type().name().toLowerCase(Locale.ROOT),
          FileMode.text(info.mode()),
          info.uid(),
          info.gid(),
          info.size(),
          info.type() == FileInfo.Type.SYMLINK ? Optional.of(info.linkTarget()) : Optional.empty());
    }
  }
}
