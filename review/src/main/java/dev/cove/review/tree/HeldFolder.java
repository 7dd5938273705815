package dev.cove.review.tree;

import dev.cove.model.file.ByteText;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A folder that is held open, and what lies below it. It stays the same folder whatever becomes of
 * its name, and nothing outside it can be reached through it.
 */
public final class HeldFolder implements Closeable {
  private static final String OPAQUE = "trusted.overlay.opaque";

  private final int descriptor;
  private final Rights rights;

  private HeldFolder(int descriptor, Rights rights) {
    this.descriptor = descriptor;
    this.rights = rights;
  }

  /** Opens a folder by the name that its user gave, in which links are the user's own affair. */
  public static HeldFolder open(Path folder) throws IOException {
    return open(folder, Rights.OWN);
  }

  /**
   * The same; what is done below it is done with these rights. The way there is the caller's own.
   */
  public static HeldFolder open(Path folder, Rights rights) throws IOException {
    return new HeldFolder(FileCalls.openFolder(folder.toString()), rights);
  }

  /** What is known of the folder itself. */
  public Entry entry() throws IOException {
    return FileCalls.stat(descriptor, "");
  }

  /** Looks at what is there by this path now, links on the way and all. */
  public Optional<Entry> glance(TreePath path) throws IOException {
    try {
      return Optional.of(rights.run(() -> FileCalls.stat(descriptor, path.text())));
    } catch (FileCallException e) {
      return Optional.empty();
    }
  }

  /** A folder below, to be closed by itself. */
  public HeldFolder folder(TreePath path) throws IOException {
    return new HeldFolder(openBelow(path.text(), FileCalls.O_DIRECTORY, 0), rights);
  }

  private int openBelow(String path, int flags, int mode) throws IOException {
    return rights.run(() -> FileCalls.openBelow(descriptor, path, flags, mode));
  }

  /** Empty also where a part of the way is not there or no folder. Throws where it is a link. */
  public Optional<Entry> find(TreePath path) throws IOException {
    try {
      int found = openBelow(path.text(), FileCalls.O_PATH | FileCalls.O_NOFOLLOW, 0);
      try {
        return Optional.of(FileCalls.stat(found, ""));
      } finally {
        FileCalls.close(found);
      }
    } catch (FileCallException e) {
      if (e.meansAbsent()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Whether nothing has that path, as far as can be told by its name. */
  public boolean isAbsent(TreePath path) {
    try {
      return find(path).isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * What is in a folder, by name.
   *
   * @throws TooManyEntriesException when it is more than the limit
   */
  public NavigableMap<String, Entry> list(TreePath path, int limit) throws IOException {
    var entries = new TreeMap<String, Entry>();
    try (HeldFolder folder = folder(path)) {
      for (String name : FileCalls.list(folder.descriptor, limit + 1)) {
        try {
          entries.put(name, rights.run(() -> FileCalls.stat(folder.descriptor, name)));
        } catch (FileCallException e) {
          if (!e.meansAbsent()) { // it went while we looked
            throw e;
          }
        }
      }
    }
    if (entries.size() > limit) {
      throw new TooManyEntriesException(path, limit);
    }
    return entries;
  }

  /** What is in a folder, by name, and whether it is a folder: cheaper than {@link #list}. */
  public Map<String, Boolean> folders(TreePath path, int limit) throws IOException {
    var found = new HashMap<String, Boolean>();
    try (HeldFolder folder = folder(path)) {
      Map<String, Byte> kinds = FileCalls.listKinds(folder.descriptor, limit + 1);
      if (kinds.size() > limit) {
        throw new TooManyEntriesException(path, limit);
      }
      for (Map.Entry<String, Byte> one : kinds.entrySet()) {
        boolean is =
            one.getValue() == FileCalls.UNKNOWN
                ? find(path.child(one.getKey()))
                    .filter(entry -> entry.kind() == Entry.Kind.FOLDER)
                    .isPresent()
                : one.getValue() == FileCalls.FOLDER;
        found.put(one.getKey(), is);
      }
    }
    return found;
  }

  /** Names alone, at most so many, of a folder that may hold more. */
  public List<String> names(TreePath path, int limit) throws IOException {
    try (HeldFolder folder = folder(path)) {
      return FileCalls.list(folder.descriptor, limit);
    }
  }

  /**
   * The content of a file. Anything else is refused; a pipe that came in its place since somebody
   * looked is let go at once, and nobody waits for its other end.
   */
  public InputStream read(TreePath path) throws IOException {
    int flags = FileCalls.O_NOFOLLOW | FileCalls.O_NONBLOCK;
    int file = openBelow(path.text(), flags, 0);
    try {
      requireFile(path, FileCalls.stat(file, ""));
    } catch (IOException e) {
      FileCalls.close(file);
      throw e;
    }
    return new DescriptorInput(file);
  }

  private static void requireFile(TreePath path, Entry entry) throws IOException {
    if (entry.kind() != Entry.Kind.FILE) {
      throw new IOException(path + " is no file");
    }
  }

  public String linkTarget(TreePath path) throws IOException {
    try (HeldFolder folder = folder(path.parent())) {
      return rights.run(() -> FileCalls.readLink(folder.descriptor, path.name()));
    }
  }

  /** Whether this folder of an overlay's writable layer hides what lies below it. */
  public boolean isOpaque(TreePath path) throws IOException {
    try (HeldFolder folder = folder(path)) {
      return FileCalls.hasAttribute(folder.descriptor, OPAQUE, (byte) 'y');
    }
  }

  /** Makes a file that was not there, with exactly these permissions. */
  public OutputStream create(String name, int permissions) throws IOException {
    requireName(name);
    int flags = FileCalls.O_WRONLY | FileCalls.O_CREAT | FileCalls.O_EXCL | FileCalls.O_NOFOLLOW;
    int file = openBelow(name, flags, 0600);
    return new DescriptorOutput(file, permissions, rights);
  }

  public void makeLink(String name, String target) throws IOException {
    requireName(name);
    act(() -> FileCalls.makeLink(descriptor, name, target));
  }

  public void makeFolder(String name, int permissions) throws IOException {
    requireName(name);
    act(() -> FileCalls.makeFolder(descriptor, name, 0700));
    int made = openBelow(name, FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW, 0);
    try {
      act(() -> FileCalls.changeMode(made, permissions));
    } finally {
      FileCalls.close(made);
    }
  }

  /** Moves what has a name here to a name there, if nothing has it. */
  public void move(String name, HeldFolder target, String to) throws IOException {
    requireName(name);
    requireName(to);
    act(() ->
        FileCalls.rename(descriptor, name, target.descriptor, to, FileCalls.RENAME_NOREPLACE));
  }

  /** A name here and a name there change places, at one moment. */
  public void exchange(String name, HeldFolder other, String its) throws IOException {
    requireName(name);
    requireName(its);
    act(() -> FileCalls.rename(descriptor, name, other.descriptor, its, FileCalls.RENAME_EXCHANGE));
  }

  /** Removes a name that is no folder's. It need not be there. */
  public void remove(String name) throws IOException {
    requireName(name);
    try {
      act(() -> FileCalls.unlink(descriptor, name, 0));
    } catch (FileCallException e) {
      if (!e.meansAbsent()) {
        throw e;
      }
    }
  }

  /** Removes an empty folder. */
  public void removeFolder(String name) throws IOException {
    requireName(name);
    act(() -> FileCalls.unlink(descriptor, name, FileCalls.AT_REMOVEDIR));
  }

  /** Only root can give files away; everybody else's are their own already. */
  public void changeOwner(String name, int uid, int gid) throws IOException {
    requireName(name);
    act(() -> FileCalls.changeOwner(descriptor, name, uid, gid));
  }

  /**
   * All that was written to this file system is on the disk when it returns. One such call takes a
   * fraction of what one for each of a thousand files does.
   */
  public void syncAll() throws IOException {
    FileCalls.syncAll(descriptor);
  }

  @FunctionalInterface
  private interface Act {
    void run() throws IOException;
  }

  private void act(Act act) throws IOException {
    var _ =
        rights.run(() -> {
          act.run();
          return true;
        });
  }

  private static void requireName(String name) {
    if (name.isEmpty() || name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException("This is no name: " + ByteText.shown(name));
    }
  }

  @Override
  public void close() throws IOException {
    FileCalls.close(descriptor);
  }
}
