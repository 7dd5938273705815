package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Finds what one COPY or ADD takes from the context, and where it goes. */
final class Selecting {
  private static final int MAX_LINKS = 40;
  private static final int EFFORT_PER_NAME = 100;

  private final Path archive;
  private final ContextTree tree;
  private final Step.Copy copy;
  private final CopyTarget target;
  private final long uid;
  private final long gid;
  private final TreeMap<String, ContextEntry> placed = new TreeMap<>();
  private final List<Selection.Archive> archives = new ArrayList<>();
  private final Effort effort;
  private long names;
  private boolean holdsFile;

  Selecting(Path archive, ContextTree tree, Step.Copy copy, CopyTarget target, long uid, long gid) {
    this.archive = archive;
    this.tree = tree;
    this.copy = copy;
    this.target = target;
    this.uid = uid;
    this.gid = gid;
    effort = new Effort("Line %d: COPY".formatted(copy.line()));
  }

  Selection run() throws IOException {
    var matches = new ArrayList<String>();
    for (String source : copy.sources()) {
      List<String> found = match(source);
      if (found.isEmpty()) {
        throw refused(
            "Nothing in the build context matches '%s'".formatted(Expansion.shown(source)));
      }
      matches.addAll(found);
      ContextTree.requireFew(matches.size());
    }
    if ((copy.sources().size() > 1 || matches.size() > 1) && !target.isFolder()) {
      throw refused("Several sources need a target that ends with '/'");
    }
    try (FileChannel file = FileChannel.open(archive)) {
      for (String name : matches) {
        take(file, name);
      }
    }
    return new Selection(archive, placed, archives, target.folder(holdsFile));
  }

  private BuildException refused(String message) {
    return new BuildException(copy.line(), message);
  }

  private List<String> match(String source) {
    List<String> found = List.of("");
    for (String part : parts(source)) {
      var next = new ArrayList<String>();
      for (String folder : found) {
        effort.spend(EFFORT_PER_NAME);
        if (Glob.isPattern(part)) {
          matchIn(folder, glob(source, part), next);
        } else if (tree.find(EntryPath.join(folder, part)).isPresent()) {
          next.add(EntryPath.join(folder, part));
        }
      }
      found = next;
    }
    return found;
  }

  private void matchIn(String folder, Glob glob, List<String> found) {
    for (String name : tree.namesIn(folder)) {
      if (glob.matches(name.codePoints().toArray(), effort)) {
        found.add(EntryPath.join(folder, name));
      }
    }
  }

  private Glob glob(String source, String part) {
    try {
      return new Glob(part);
    } catch (BuildException e) {
      throw refused("'%s' is no pattern: %s".formatted(Expansion.shown(source), e.getMessage()));
    }
  }

  private List<String> parts(String source) {
    var parts = new ArrayList<String>();
    for (String part : source.split("/")) {
      if (part.equals("..")) {
        if (parts.isEmpty()) {
          throw refused("'%s' is outside of the build context".formatted(Expansion.shown(source)));
        }
        parts.removeLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return parts;
  }

  private void take(FileChannel file, String name) throws IOException {
    ContextEntry entry = followed(name);
    if (entry.item().is(Kind.FOLDER)) {
      String folder = entry.item().name();
      int prefix = folder.isEmpty() ? 0 : folder.length() + 1;
      for (ContextEntry inner : tree.below(folder)) {
        place(target.ofInner(inner.item().name().substring(prefix)), inner);
      }
    } else if (copy.unpackArchives() && Selection.Archive.isArchive(file, copy, entry)) {
      boolean keepOwners = copy.owner().isEmpty();
      var folder = new CopyTarget(target.path(), true);
      archives.add(new Selection.Archive(archive, entry, folder, keepOwners, uid, gid));
    } else {
      holdsFile = true;
      place(target.ofFile(name), entry);
    }
  }

  /** A source that is a link stands for what it points to, if that is in the context. */
  private ContextEntry followed(String name) {
    ContextEntry first = tree.find(name).orElseThrow();
    ContextEntry entry = first;
    for (int links = 0; entry.item().is(Kind.SYMLINK); links++) {
      String pointed = entry.item().linkTarget();
      String folder = EntryPath.parent(entry.item().name());
      Optional<ContextEntry> next = tree.find(EntryPath.resolve(folder, pointed));
      if (next.isEmpty() || links == MAX_LINKS) {
        return first;
      }
      entry = next.get();
    }
    return entry;
  }

  private void place(String name, ContextEntry entry) {
    String checked = EntryPath.require("Line %d: the name".formatted(copy.line()), name);
    TarItem item = entry.item().named(checked).owned(uid, gid);
    if (copy.mode().isPresent()) {
      item = item.withMode(copy.mode().getAsInt());
    }
    effort.spend(EFFORT_PER_NAME);
    ContextEntry before = placed.put(checked, entry.with(item));
    if (before == null) {
      names += checked.length();
    } else if (before.item().is(Kind.FOLDER) != item.is(Kind.FOLDER)) {
      throw refused(
          "'/%s' is a folder in one source and none in another"
              .formatted(Expansion.shown(checked)));
    }
    ContextTree.requireFew(placed.size());
    ContextTree.requireShort(names);
  }
}
