package dev.cove.cli;

import dev.cove.model.file.ByteText;
import dev.cove.review.text.Lines;
import dev.cove.review.text.ThreeWayMerge;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What git has of some paths, and what becomes of it with the sandbox's changes: the same three-way
 * rules as for files, with git's version in the place of the host's.
 */
final class GitVersions {
  private static final int AT_ONCE = 500;
  private static final int SHA_1_DIGITS = 40;
  private static final ThreeWayMerge.Names UNSHOWN = new ThreeWayMerge.Names("", "", "");

  private final Git git;
  private final Map<String, String> ids = new HashMap<>();

  /** What git is yet to get, where a later change may have to be brought together with it. */
  private final Map<String, byte[]> unsaved = new HashMap<>();

  private GitVersions(Git git) {
    this.git = git;
  }

  /**
   * @param listing how git lists them with their ids: {@code ls-tree} or {@code ls-files}
   * @param paths below the repository's folder
   */
  static GitVersions of(Git git, List<String> listing, Collection<String> paths) {
    var versions = new GitVersions(git);
    var all = List.copyOf(paths);
    for (int from = 0; from < all.size(); from += AT_ONCE) {
      var command = new ArrayList<>(listing);
      command.add("--");
      command.addAll(all.subList(from, Math.min(all.size(), from + AT_ONCE)));
      versions.read(git.require(command.toArray(String[]::new)).out());
    }
    return versions;
  }

  /** {@code 100644 blob ID<tab>PATH} or {@code 100644 ID STAGE<tab>PATH}, each ended by a zero. */
  private void read(byte[] listing) {
    for (String line : new String(listing, StandardCharsets.ISO_8859_1).split("\0")) {
      int tab = line.indexOf('\t');
      if (tab > 0) {
        String[] words = line.substring(0, tab).split(" ");
        String path =
            ByteText.decode(line.substring(tab + 1).getBytes(StandardCharsets.ISO_8859_1));
        ids.put(path, words[1].equals("blob") || words[1].equals("commit") ? words[2] : words[1]);
      }
    }
  }

  boolean has(String path) {
    return ids.containsKey(path);
  }

  /** What is to be there; nothing where the two cannot be brought together. */
  Optional<byte[]> merged(String path, Optional<byte[]> base, byte[] sandbox) {
    String id = ids.get(path);
    if (id == null
        || id.equals(idOf(sandbox, id))
        || base.map(bytes -> id.equals(idOf(bytes, id))).orElse(false)) {
      return Optional.of(sandbox);
    }
    if (base.isEmpty()) {
      return Optional.empty();
    }
    byte[] ours =
        unsaved.containsKey(path) ? unsaved.get(path) : git.require("cat-file", "blob", id).out();
    if (Lines.isBinary(ours) || Lines.isBinary(sandbox) || Lines.isBinary(base.get())) {
      return Optional.empty();
    }
    ThreeWayMerge.Merged merged =
        ThreeWayMerge.merge(Lines.of(base.get()), Lines.of(ours), Lines.of(sandbox));
    return merged.isClean() ? Optional.of(merged.bytes(UNSHOWN)) : Optional.empty();
  }

  /** Whether what the sandbox deleted is what git has. */
  boolean mayGo(String path, Optional<byte[]> base) {
    String id = ids.get(path);
    return id == null || base.isEmpty() || id.equals(idOf(base.get(), id));
  }

  /** From now on this is what git has there, as soon as it gets it. */
  void put(String path, byte[] content) {
    ids.put(path, idOf(content, anyId()));
    unsaved.put(path, content);
  }

  void remove(String path) {
    ids.remove(path);
    unsaved.remove(path);
  }

  private String anyId() {
    return ids.values().stream().findFirst().orElse("0".repeat(SHA_1_DIGITS));
  }

  /** As git would call it in a repository that has the other. */
  private static String idOf(byte[] content, String other) {
    try {
      MessageDigest digest =
          MessageDigest.getInstance(other.length() == SHA_1_DIGITS ? "SHA-1" : "SHA-256");
      digest.update(("blob " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest.digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-1 and SHA-256", e);
    }
  }
}
