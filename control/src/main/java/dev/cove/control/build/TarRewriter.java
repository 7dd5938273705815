package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Gives the entries of an archive other names and owners while it passes.
 *
 * <p>Devices and pipes are left out: a sandbox has its own.
 */
final class TarRewriter implements TarStream.Source {
  private final TarEntries entries;
  private final CopyTarget target;
  private final boolean keepNames;
  private final boolean keepOwners;
  private final long uid;
  private final long gid;
  private final OptionalInt mode;

  private TarRewriter(
      TarEntries entries,
      CopyTarget target,
      boolean keepNames,
      boolean keepOwners,
      long uid,
      long gid,
      OptionalInt mode) {
    this.entries = entries;
    this.target = target;
    this.keepNames = keepNames;
    this.keepOwners = keepOwners;
    this.uid = uid;
    this.gid = gid;
    this.mode = mode;
  }

  /**
   * For COPY --from.
   *
   * @param packed a folder's content, or one file under its own name
   * @param packedFolder which of both
   * @param workdir absolute
   * @return entries named relative to the root; closing it closes {@code packed}
   */
  static InputStream rewrite(
      InputStream packed,
      boolean packedFolder,
      Step.Copy copy,
      String workdir,
      long uid,
      long gid) {
    return new TarStream(
        new TarRewriter(
            new TarEntries("What was copied", packed),
            CopyTarget.of(copy, workdir),
            packedFolder,
            false,
            uid,
            gid,
            copy.mode()));
  }

  /** For ADD of an archive: a folder's content whose owners stay, unless others are asked for. */
  static InputStream unpack(
      String what, InputStream archive, CopyTarget target, boolean keepOwners, long uid, long gid) {
    return new TarStream(
        new TarRewriter(
            new TarEntries(what, archive),
            target,
            true,
            keepOwners,
            uid,
            gid,
            OptionalInt.empty()));
  }

  @Override
  public Optional<TarStream.Member> next() {
    while (true) {
      Optional<TarItem> item = entries.next();
      if (item.isEmpty()) {
        return Optional.empty();
      }
      if (!item.get().is(Kind.OTHER)) {
        return Optional.of(new TarStream.Member(rewritten(item.get()), entries.content()));
      }
    }
  }

  private TarItem rewritten(TarItem item) {
    TarItem changed = item.named(finalName(item.name()));
    if (item.is(Kind.HARD_LINK)) {
      String linked = EntryPath.require("The target of a link", item.linkTarget());
      changed = changed.linkedTo(finalName(linked));
    }
    if (!keepOwners) {
      changed = changed.owned(uid, gid);
    }
    return mode.isPresent() ? changed.withMode(mode.getAsInt()) : changed;
  }

  private String finalName(String name) {
    return EntryPath.require("The name", keepNames ? target.ofInner(name) : target.ofFile(name));
  }

  @Override
  public void close() throws IOException {
    entries.close();
  }
}
