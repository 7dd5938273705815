package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files that a caller sent along with a Dockerfile: a tar archive, of which only the names are
 * in memory.
 */
public final class BuildContext {
  private static final String WHAT = "The build context";

  private final Path archive;
  private final ContextTree all;
  private final ContextTree visible;

  private BuildContext(Path archive, ContextTree all, ContextTree visible) {
    this.archive = archive;
    this.all = all;
    this.visible = visible;
  }

  /**
   * @param tarFile not compressed; must stay as it is as long as the context is used
   */
  public static BuildContext open(Path tarFile) throws IOException {
    ContextTree all = index(tarFile);
    var context = new BuildContext(tarFile, all, all);
    Optional<String> rules = context.text(IgnoreRules.FILE);
    return rules.isEmpty()
        ? context
        : new BuildContext(tarFile, all, all.without(new IgnoreRules(rules.get())));
  }

  private static ContextTree index(Path tarFile) throws IOException {
    long length = Files.size(tarFile);
    var found = new TreeMap<String, ContextEntry>();
    long names = 0;
    try (var entries = new TarEntries(WHAT, Files.newInputStream(tarFile))) {
      for (Optional<TarItem> next = entries.next(); next.isPresent(); next = entries.next()) {
        TarItem item = next.get();
        requireKnownKind(item);
        if (entries.position() + item.size() > length) {
          throw new BuildException(WHAT + " is no tar archive: it ends too early");
        }
        names += item.name().length() + item.linkTarget().length();
        ContextTree.requireShort(names);
        found.put(item.name(), new ContextEntry(item, entries.position()));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return ContextTree.of(found);
  }

  private static void requireKnownKind(TarItem item) {
    if (item.is(Kind.HARD_LINK)) {
      throw new BuildException(
          "%s holds the hard link '%s'; pack it as a file (tar --hard-dereference)"
              .formatted(WHAT, Expansion.shown(item.name())));
    }
    if (item.is(Kind.OTHER)) {
      throw new BuildException(
          "%s holds '%s', which is neither a file, a folder nor a symbolic link"
              .formatted(WHAT, Expansion.shown(item.name())));
    }
  }

  /** A file's text, also if {@code .dockerignore} names it; empty if there is no such file. */
  public Optional<String> text(String path) throws IOException {
    Optional<ContextEntry> entry =
        all.find(EntryPath.clean(path)).filter(found -> found.item().is(Kind.FILE));
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    if (entry.get().item().size() > Dockerfile.MAX_SIZE) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "'%s' has more than %d bytes".formatted(Expansion.shown(path), Dockerfile.MAX_SIZE));
    }
    try (FileChannel file = FileChannel.open(archive)) {
      byte[] bytes = new SpoolRegion(file, entry.get()).readAllBytes();
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /**
   * What a COPY or ADD takes. Whether a target without a slash is a folder in the stage is not
   * known here: ask for {@link Step.Copy#intoFolder} if it is.
   *
   * @param copy with its variables filled in
   * @param workdir absolute
   */
  Selection select(Step.Copy copy, String workdir, long uid, long gid) throws IOException {
    return new Selecting(archive, visible, copy, CopyTarget.of(copy, workdir), uid, gid).run();
  }
}
