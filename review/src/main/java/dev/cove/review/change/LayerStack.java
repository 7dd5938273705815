package dev.cove.review.change;

import dev.cove.review.apply.Version;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writable folders of overlays that lie one over the other, seen as the one that they amount to:
 * the uppermost that has a path decides about it, and folders show what all of them hold, down to
 * one that hides what is below it. Not for use by several threads.
 */
public final class LayerStack implements Closeable {
  private static final int MOST_REMEMBERED = 1_024;

  private final List<HeldFolder> layers;

  private final Map<TreePath, Folders> folders =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TreePath, Folders> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  /**
   * Those that have a folder at a path that counts, the uppermost first.
   *
   * @param opaque whether nothing below all of them shows through
   */
  private record Folders(List<HeldFolder> having, boolean opaque) {}

  /**
   * @param layers the uppermost first; they are closed with this
   */
  public LayerStack(List<HeldFolder> layers) {
    this.layers = List.copyOf(layers);
  }

  private Folders folders(TreePath path) throws IOException {
    if (path.isRoot()) {
      return new Folders(layers, false);
    }
    Folders known = folders.get(path);
    if (known == null) {
      known = find(path, folders(path.parent()));
      folders.put(path, known);
    }
    return known;
  }

  private static Folders find(TreePath path, Folders parents) throws IOException {
    var having = new ArrayList<HeldFolder>();
    for (HeldFolder layer : parents.having()) {
      Optional<Entry> entry = layer.find(path);
      if (entry.isPresent()) {
        if (entry.get().kind() != Entry.Kind.FOLDER) {
          return new Folders(having, true);
        }
        having.add(layer);
        if (layer.isOpaque(path)) {
          return new Folders(having, true);
        }
      }
    }
    return new Folders(having, parents.opaque());
  }

  /** The layer that decides about a path. */
  private Optional<HeldFolder> deciding(TreePath path) throws IOException {
    for (HeldFolder layer : folders(path.parent()).having()) {
      if (layer.find(path).isPresent()) {
        return Optional.of(layer);
      }
    }
    return Optional.empty();
  }

  /** Also a whiteout, which says that there is nothing. */
  public Optional<Entry> find(TreePath path) throws IOException {
    Optional<HeldFolder> layer = deciding(path);
    return layer.isEmpty() ? Optional.empty() : layer.get().find(path);
  }

  NavigableMap<String, Entry> list(TreePath path, int limit) throws IOException {
    NavigableMap<String, Entry> all = new TreeMap<>();
    for (HeldFolder layer : folders(path).having()) {
      layer.list(path, limit).forEach(all::putIfAbsent);
    }
    return all;
  }

  /** Whether nothing of the folder below shows through this one. */
  boolean isOpaque(TreePath path) throws IOException {
    return folders(path).opaque();
  }

  public InputStream read(TreePath path) throws IOException {
    return require(path).read(path);
  }

  public String linkTarget(TreePath path) throws IOException {
    return require(path).linkTarget(path);
  }

  private HeldFolder require(TreePath path) throws IOException {
    return deciding(path).orElseThrow(() -> new IOException(path + " is not there any more"));
  }

  /** What the sandbox has at a path that it has changed; nothing where it has removed it. */
  public Version version(TreePath path) throws IOException {
    try {
      Optional<HeldFolder> layer = deciding(path);
      Optional<Entry> entry = layer.isEmpty() ? Optional.empty() : layer.get().find(path);
      return entry.isEmpty() || entry.get().kind() == Entry.Kind.WHITEOUT
          ? new Version.Absent()
          : Version.at(layer.get(), path);
    } catch (FileCallException e) {
      if (e.meansAbsent()) {
        return new Version.Absent(); // it went while we looked
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    for (HeldFolder layer : layers) {
      layer.close();
    }
  }
}
