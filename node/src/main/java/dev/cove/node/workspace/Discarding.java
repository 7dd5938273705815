package dev.cove.node.workspace;

import dev.cove.node.NodeWorkspaces.Restorer;
import dev.cove.review.apply.Version;
import dev.cove.review.change.Change;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Has the host's versions put into a sandbox again: what the sandbox has in their way goes first,
 * the deepest first; then what the host has comes, folders before what is in them.
 */
final class Discarding {
  private Discarding() {}

  static List<TreePath> run(Reading reading, List<TreePath> below, Restorer restorer)
      throws IOException {
    var wanted = new TreeMap<TreePath, Version>();
    for (Change change : reading.changes(below)) {
      want(reading, change.path(), wanted);
      if (change.from().isPresent()) {
        want(reading, change.from().get(), wanted);
      }
    }
    for (TreePath path : wanted.keySet().stream().sorted(Comparator.reverseOrder()).toList()) {
      Version now = reading.sandbox().version(path);
      boolean stays =
          now instanceof Version.Absent
              || (now instanceof Version.Folder && wanted.get(path) instanceof Version.Folder);
      if (!stays) {
        restorer.remove(path);
      }
    }
    for (Map.Entry<TreePath, Version> one : wanted.entrySet()) {
      put(one.getKey(), one.getValue(), restorer);
    }
    return List.copyOf(wanted.keySet());
  }

  /** What is hidden on the host is not there for the sandbox, and stays so. */
  private static void want(Reading reading, TreePath path, Map<TreePath, Version> wanted)
      throws IOException {
    wanted.put(
        path, reading.hidden().test(path) ? new Version.Absent() : reading.hostVersion(path));
  }

  private static void put(TreePath path, Version version, Restorer restorer) throws IOException {
    switch (version) {
      case Version.Folder(var mode) -> restorer.folder(path, mode);
      case Version.Link(var target) -> restorer.link(path, target);
      case Version.File(var content, var mode) -> {
        try (InputStream in = content.open()) {
          restorer.file(path, mode, in);
        }
      }
      case Version.Absent _, Version.Special _ -> {
        // nothing is put there
      }
    }
  }
}
