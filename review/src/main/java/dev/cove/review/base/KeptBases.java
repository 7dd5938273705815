package dev.cove.review.base;

import dev.cove.model.file.ByteText;
import dev.cove.review.apply.Base;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Version;
import dev.cove.review.change.Bases;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.TreePath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The bases of one folder in one sandbox, on the disk: versions that were kept before the host's
 * changed, and those that were applied. Also what they were before each apply, for when it is
 * undone.
 *
 * <p>One file says all of it and is replaced at one moment; contents lie beside it, by digest. Of a
 * file that is too large to be merged only the digest is kept, which tells whether it changed.
 */
public final class KeptBases implements Bases {
  /** What is larger cannot be merged anyway. */
  public static final long LARGEST_KEPT = 4L << 20;

  private static final String KIND = "cove-bases-1";
  private static final int MOST_APPLIES = 20;
  private static final int DIGEST_BYTES = 32;
  private static final byte NONE = 0;
  private static final byte UNKNOWN = 1;
  private static final byte ABSENT = 2;
  private static final byte FOLDER = 3;
  private static final byte FILE = 4;
  private static final byte LINK = 5;

  private final Path folder;
  private final Map<TreePath, Base> bases = new TreeMap<>();

  /** By apply, what was known of each path before it, the oldest first. */
  private final Map<String, Map<TreePath, Optional<Base>>> before = new LinkedHashMap<>();

  private KeptBases(Path folder) {
    this.folder = folder;
  }

  /**
   * @param folder made where it is missing
   */
  public static KeptBases open(Path folder) throws IOException {
    var kept = new KeptBases(folder);
    Files.createDirectories(kept.contents());
    try {
      kept.decode(Files.readAllBytes(kept.index()));
    } catch (NoSuchFileException e) {
      return kept; // nothing was ever kept
    }
    return kept;
  }

  private Path index() {
    return folder.resolve("bases");
  }

  private Path contents() {
    return folder.resolve("contents");
  }

  @Override
  public Optional<Base> find(TreePath path) {
    return Optional.ofNullable(bases.get(path));
  }

  /** Keeps versions of paths of which nothing is known yet. */
  public void keep(Map<TreePath, Base> found) throws IOException {
    boolean news = false;
    for (Map.Entry<TreePath, Base> one : found.entrySet()) {
      news |= !bases.containsKey(one.getKey());
      if (!bases.containsKey(one.getKey())) {
        bases.put(one.getKey(), stored(one.getValue()));
      }
    }
    if (news) {
      save();
    }
  }

  /**
   * What was applied moves the base.
   *
   * @param now the versions that were taken
   * @param then what an undo makes the base again
   */
  public void applied(String apply, Map<TreePath, Version> now, Map<TreePath, Base> then)
      throws IOException {
    var earlier = new TreeMap<TreePath, Optional<Base>>();
    for (Map.Entry<TreePath, Version> one : now.entrySet()) {
      Base was = then.getOrDefault(one.getKey(), new Base.Unknown());
      earlier.put(one.getKey(), Optional.of(stored(was)));
      bases.put(one.getKey(), stored(new Base.Known(one.getValue())));
    }
    before.put(apply, earlier);
    while (before.size() > MOST_APPLIES) {
      before.remove(before.keySet().iterator().next());
    }
    save();
  }

  /** An apply was taken back; of one that is not known here, nothing was moved. */
  public void undone(String apply) throws IOException {
    Map<TreePath, Optional<Base>> earlier = before.remove(apply);
    if (earlier == null) {
      return;
    }
    earlier.forEach((path, base) ->
        base.ifPresentOrElse(was -> bases.put(path, was), () -> bases.remove(path)));
    save();
  }

  /** All of it as another one has it: of the sandbox that this one began with. */
  public static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Path target = to.resolve(from.relativize(one).toString());
        if (Files.isDirectory(one)) {
          Files.createDirectories(target);
        } else {
          Files.copy(one, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private Base stored(Base base) throws IOException {
    if (base instanceof Base.Known(Version.File(var content, var permissions))) {
      return new Base.Known(new Version.File(stored(content), permissions));
    }
    return base;
  }

  private Content stored(Content content) throws IOException {
    Path file = contents().resolve(content.digest());
    if (content.size() <= LARGEST_KEPT && !Files.exists(file)) {
      Path fresh = contents().resolve(content.digest() + ".new");
      try (InputStream in = content.open()) {
        Files.copy(in, fresh, StandardCopyOption.REPLACE_EXISTING);
      }
      try (InputStream in = Files.newInputStream(fresh)) {
        if (!Digests.of(in).equals(content.digest())) {
          throw new IOException("A file changed while it was read; try again");
        }
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
    return kept(content.digest(), content.size());
  }

  private Content kept(String digest, long size) {
    return new Content(digest, size, () -> Files.newInputStream(contents().resolve(digest)));
  }

  private void save() throws IOException {
    Path fresh = folder.resolve("bases.new");
    try (FileChannel out =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      var bytes = java.nio.ByteBuffer.wrap(encode());
      while (bytes.hasRemaining()) {
        var _ = out.write(bytes);
      }
      out.force(true);
    }
    Files.move(fresh, index(), StandardCopyOption.ATOMIC_MOVE);
    dropUnused();
  }

  private void dropUnused() throws IOException {
    Set<String> used = new HashSet<>();
    Stream.concat(
            bases.values().stream(),
            before.values().stream()
                .flatMap(all -> all.values().stream())
                .flatMap(Optional::stream))
        .forEach(base -> {
          if (base instanceof Base.Known(Version.File(var content, var _))) {
            used.add(content.digest());
          }
        });
    try (Stream<Path> files = Files.list(contents())) {
      for (Path file : files.toList()) {
        if (!used.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    }
  }

  private byte[] encode() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      text(out, KIND);
      out.writeInt(bases.size());
      for (Map.Entry<TreePath, Base> one : bases.entrySet()) {
        text(out, one.getKey().text());
        base(out, Optional.of(one.getValue()));
      }
      out.writeInt(before.size());
      for (Map.Entry<String, Map<TreePath, Optional<Base>>> apply : before.entrySet()) {
        text(out, apply.getKey());
        out.writeInt(apply.getValue().size());
        for (Map.Entry<TreePath, Optional<Base>> one : apply.getValue().entrySet()) {
          text(out, one.getKey().text());
          base(out, one.getValue());
        }
      }
      var digest = Digests.begin();
      digest.update(bytes.toByteArray());
      out.write(digest.digest());
    } catch (IOException e) {
      throw new IllegalStateException("Memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = ByteText.encode(text);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static void base(DataOutputStream out, Optional<Base> base) throws IOException {
    switch (base.orElse(null)) {
      case null -> out.writeByte(NONE);
      case Base.Unknown _ -> out.writeByte(UNKNOWN);
      case Base.Known(var version) -> version(out, version);
    }
  }

  private static void version(DataOutputStream out, Version version) throws IOException {
    switch (version) {
      case Version.Absent _ -> out.writeByte(ABSENT);
      case Version.Special _ -> out.writeByte(UNKNOWN);
      case Version.Folder(var permissions) -> {
        out.writeByte(FOLDER);
        out.writeInt(permissions);
      }
      case Version.File(var content, var permissions) -> {
        out.writeByte(FILE);
        out.writeInt(permissions);
        out.writeLong(content.size());
        text(out, content.digest());
      }
      case Version.Link(var target) -> {
        out.writeByte(LINK);
        text(out, target);
      }
    }
  }

  private void decode(byte[] bytes) throws IOException {
    int length = bytes.length - DIGEST_BYTES;
    var digest = Digests.begin();
    digest.update(bytes, 0, Math.max(0, length));
    if (length <= 0
        || !Arrays.equals(digest.digest(), Arrays.copyOfRange(bytes, length, bytes.length))) {
      throw new IOException("What sandboxes began with is damaged: " + index());
    }
    var in = new DataInputStream(new ByteArrayInputStream(bytes, 0, length));
    if (!text(in).equals(KIND)) {
      throw new IOException("What sandboxes began with is of another version: " + index());
    }
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      var path = new TreePath(text(in));
      base(in).ifPresent(base -> bases.put(path, base));
    }
    int applies = in.readInt();
    for (int i = 0; i < applies; i++) {
      String apply = text(in);
      var earlier = new TreeMap<TreePath, Optional<Base>>();
      int paths = in.readInt();
      for (int j = 0; j < paths; j++) {
        earlier.put(new TreePath(text(in)), base(in));
      }
      before.put(apply, earlier);
    }
  }

  private static String text(DataInputStream in) throws IOException {
    return ByteText.decode(in.readNBytes(in.readInt()));
  }

  private Optional<Base> base(DataInputStream in) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case NONE -> Optional.empty();
      case UNKNOWN -> Optional.of(new Base.Unknown());
      case ABSENT -> Optional.of(new Base.Known(new Version.Absent()));
      case FOLDER -> Optional.of(new Base.Known(new Version.Folder(in.readInt())));
      case LINK -> Optional.of(new Base.Known(new Version.Link(text(in))));
      case FILE -> {
        int permissions = in.readInt();
        long size = in.readLong();
        yield Optional.of(new Base.Known(new Version.File(kept(text(in), size), permissions)));
      }
      default -> throw new IOException("What sandboxes began with is damaged: " + index());
    };
  }
}
