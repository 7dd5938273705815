package dev.cove.review.apply;

import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Finds the steps that bring proposals into a folder of the host. Changes nothing. */
final class Planning {
  private static final int MOST_IN_A_FOLDER = 200_000;
  private static final int NEW_FOLDER = 0755;

  private final HeldFolder host;
  private final Resolution resolution;

  /** What paths are to become, and what they are. */
  private final Map<TreePath, Version> wanted = new TreeMap<>();

  private final Map<TreePath, Version> found = new HashMap<>();

  private final List<TreePath> unchanged = new ArrayList<>();
  private final List<ApplyPlan.Note> skipped = new ArrayList<>();
  private final List<ApplyPlan.Note> contested = new ArrayList<>();

  private Planning(HeldFolder host, Resolution resolution) {
    this.host = host;
    this.resolution = resolution;
  }

  static ApplyPlan plan(HeldFolder host, List<Proposal> proposals, Resolution resolution)
      throws IOException {
    var planning = new Planning(host, resolution);
    for (Proposal proposal : proposals) {
      planning.decide(proposal);
    }
    planning.keepFoldersThatAreNotEmptied();
    planning.makeParents();
    return new ApplyPlan(
        planning.steps(), planning.unchanged, planning.skipped, planning.contested);
  }

  private void decide(Proposal proposal) throws IOException {
    TreePath path = proposal.path();
    Version now;
    try {
      now = find(path);
    } catch (FileCallException e) {
      if (!e.meansDetour()) {
        throw e;
      }
      contest(path, "on the host a symbolic link, or another file system, is on the way to it");
      return;
    }
    switch (ThreeWay.decide(proposal.base(), proposal.sandbox(), now, resolution)) {
      case Decision.Keep _ -> unchanged.add(path);
      case Decision.Take(var version) -> wanted.put(path, version);
      case Decision.Contested(var reason) -> contest(path, reason);
      case Decision.Skip(var reason) -> skipped.add(new ApplyPlan.Note(path, reason));
    }
  }

  private void contest(TreePath path, String reason) {
    contested.add(new ApplyPlan.Note(path, reason));
  }

  private Version find(TreePath path) throws IOException {
    Version known = found.get(path);
    if (known == null) {
      known = Version.at(host, path);
      found.put(path, known);
    }
    return known;
  }

  /** The deepest first: a folder goes only when all goes that is in it. */
  private void keepFoldersThatAreNotEmptied() throws IOException {
    Set<TreePath> gone = new HashSet<>();
    for (TreePath path : wanted.keySet().stream().sorted(Comparator.reverseOrder()).toList()) {
      boolean folder = find(path) instanceof Version.Folder;
      if (!folder || isEmptied(path, gone)) {
        if (!(wanted.get(path) instanceof Version.Folder)) {
          gone.add(path);
        }
      } else if (wanted.get(path) instanceof Version.Absent) {
        wanted.remove(path);
        unchanged.add(path);
      } else {
        wanted.remove(path);
        contest(path, "on the host it is a folder, with something in it that is to stay");
      }
    }
  }

  private boolean isEmptied(TreePath folder, Set<TreePath> gone) throws IOException {
    for (String name : host.names(folder, MOST_IN_A_FOLDER)) {
      TreePath child = folder.child(name);
      boolean goes = gone.contains(child) && wanted.get(child) instanceof Version.Absent;
      if (!goes) {
        return false;
      }
    }
    return true;
  }

  /** A path can be taken without the folders that are on the way to it. */
  private void makeParents() throws IOException {
    for (TreePath path : List.copyOf(wanted.keySet())) {
      if (wanted.get(path) instanceof Version.Absent) {
        continue;
      }
      for (TreePath at = path.parent(); !at.isRoot(); at = at.parent()) {
        Version there = wanted.containsKey(at) ? wanted.get(at) : find(at);
        if (there instanceof Version.Absent) {
          wanted.put(at, new Version.Folder(NEW_FOLDER));
        } else if (!(there instanceof Version.Folder)) {
          wanted.remove(path);
          contest(path, "on the host %s is %s and no folder".formatted(at, there.shown()));
          break;
        }
      }
    }
  }

  /** What goes, the deepest first; then what comes, folders before what is in them. */
  private List<Step> steps() throws IOException {
    var going = new ArrayList<Step>();
    var coming = new ArrayList<Step>();
    for (Map.Entry<TreePath, Version> entry : wanted.entrySet()) {
      Version from = find(entry.getKey());
      Version to = entry.getValue();
      boolean absent = from instanceof Version.Absent;
      boolean folder = from instanceof Version.Folder || to instanceof Version.Folder;
      if (from.equals(to)) {
        continue;
      }
      if (to instanceof Version.Absent) {
        going.addFirst(new Step(entry.getKey(), from, to));
      } else if (folder && !absent) {
        going.addFirst(new Step(entry.getKey(), from, new Version.Absent()));
        coming.add(new Step(entry.getKey(), new Version.Absent(), to));
      } else {
        coming.add(new Step(entry.getKey(), from, to));
      }
    }
    going.addAll(coming);
    return going;
  }
}
