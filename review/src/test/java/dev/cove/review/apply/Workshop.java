package dev.cove.review.apply;

import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Three trees: what a sandbox began with, what it has, and what the host has. */
final class Workshop implements Closeable {
  final Path base;
  final Path sandbox;
  final Path host;
  final Path state;
  private final HeldFolder heldBase;
  private final HeldFolder heldSandbox;

  Workshop(Path folder) throws IOException {
    base = Files.createDirectories(folder.resolve("base"));
    sandbox = Files.createDirectories(folder.resolve("sandbox"));
    host = Files.createDirectories(folder.resolve("host"));
    state = folder.resolve("state");
    heldBase = HeldFolder.open(base);
    heldSandbox = HeldFolder.open(sandbox);
  }

  /** The same in all three. */
  void everywhere(String path, String text) throws IOException {
    for (Path tree : List.of(base, sandbox, host)) {
      write(tree, path, text);
    }
  }

  static void write(Path tree, String path, String text) throws IOException {
    Files.createDirectories(tree.resolve(path).getParent());
    Files.writeString(tree.resolve(path), text);
  }

  static void remove(Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(one);
        }
      }
    }
  }

  /** All paths at which the sandbox has not what it began with. */
  List<Proposal> proposals() throws IOException {
    var paths = new TreeSet<>(picture(base).keySet());
    paths.addAll(picture(sandbox).keySet());
    var proposals = new ArrayList<Proposal>();
    for (String text : paths) {
      TreePath path = new TreePath(text);
      Version before = Version.at(heldBase, path);
      Version after = Version.at(heldSandbox, path);
      if (!before.equals(after)) {
        proposals.add(new Proposal(path, new Base.Known(before), after));
      }
    }
    return proposals;
  }

  ApplySession session() throws IOException {
    return ApplySession.open(host, state);
  }

  /** Each path with what is there, permissions and all. */
  static SortedMap<String, String> picture(Path tree) throws IOException {
    var picture = new TreeMap<String, String>();
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path path : all.filter(one -> !one.equals(tree)).toList()) {
        picture.put(tree.relativize(path).toString(), look(path));
      }
    }
    return picture;
  }

  private static String look(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return "-> " + Files.readSymbolicLink(path);
    }
    if (Files.isDirectory(path)) {
      return "folder";
    }
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
        + " "
        + Files.readString(path);
  }

  @Override
  public void close() throws IOException {
    heldBase.close();
    heldSandbox.close();
  }
}
