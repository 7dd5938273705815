package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import dev.cove.model.ErrorCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Entries by name, with all folders above them. */
final class ContextTree {
  /** Of all names together: they are in memory. */
  static final int MAX_NAMES = 32 * 1024 * 1024;

  private static final ContextEntry ROOT = new ContextEntry(TarItem.folder(""), 0);

  private final NavigableMap<String, ContextEntry> entries;
  private final Map<String, List<String>> namesByFolder = new HashMap<>();

  private ContextTree(NavigableMap<String, ContextEntry> entries) {
    this.entries = entries;
    for (String name : entries.keySet()) {
      namesByFolder
          .computeIfAbsent(EntryPath.parent(name), _ -> new ArrayList<>())
          .add(EntryPath.base(name));
    }
  }

  /** Folders that the archive does not mention are added; they count like the others. */
  static ContextTree of(Map<String, ContextEntry> found) {
    var entries = new TreeMap<>(found);
    long names = 0;
    for (String name : found.keySet()) {
      String folder = EntryPath.parent(name);
      while (!folder.isEmpty() && !entries.containsKey(folder)) {
        entries.put(folder, new ContextEntry(TarItem.folder(folder), 0));
        names += folder.length();
        requireFew(entries.size());
        requireShort(names);
        folder = EntryPath.parent(folder);
      }
      requireFolder(name, folder, entries);
    }
    return new ContextTree(entries);
  }

  private static void requireFolder(String name, String folder, Map<String, ContextEntry> entries) {
    ContextEntry above = entries.getOrDefault(folder, ROOT);
    if (!above.item().is(Kind.FOLDER)) {
      throw new BuildException(
          "The build context has '%s' inside of '%s', which is no folder"
              .formatted(Expansion.shown(name), Expansion.shown(folder)));
    }
  }

  static void requireShort(long names) {
    if (names > MAX_NAMES) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "The names to copy have more than %d characters together".formatted(MAX_NAMES));
    }
  }

  static void requireFew(int entries) {
    if (entries > TarEntries.MAX_ENTRIES) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "There are more than %d files and folders to copy".formatted(TarEntries.MAX_ENTRIES));
    }
  }

  /** A folder that is ignored stays if something in it is not. */
  ContextTree without(IgnoreRules rules) {
    var kept = new TreeMap<String, ContextEntry>();
    for (var entry : entries.entrySet()) {
      if (!rules.isIgnored(entry.getKey())) {
        kept.put(entry.getKey(), entry.getValue());
      }
    }
    for (String name : List.copyOf(kept.keySet())) {
      for (String folder = EntryPath.parent(name);
          !folder.isEmpty() && !kept.containsKey(folder);
          folder = EntryPath.parent(folder)) {
        find(folder).ifPresent(above -> kept.put(above.item().name(), above));
      }
    }
    return new ContextTree(kept);
  }

  Optional<ContextEntry> find(String name) {
    return name.isEmpty() ? Optional.of(ROOT) : Optional.ofNullable(entries.get(name));
  }

  /** Names of what is directly in a folder. */
  List<String> namesIn(String folder) {
    return namesByFolder.getOrDefault(folder, List.of());
  }

  /** All that is in a folder, at any depth. */
  Collection<ContextEntry> below(String folder) {
    return folder.isEmpty()
        ? entries.values()
        : entries.subMap(folder + "/", folder + "0").values();
  }
}
