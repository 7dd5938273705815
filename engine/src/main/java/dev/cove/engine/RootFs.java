package dev.cove.engine;

import dev.cove.model.LayerId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The read-only parts of a root file system; the engine puts a writable layer over them.
 *
 * @param layers folders, the uppermost first; files in them carry the ids 0 to 65535 that the
 *     sandbox will see
 * @param grafts further folders that appear below, each with a writable layer of its own
 * @param sealed what earlier sandboxes wrote over the same layers and grafts, the uppermost first
 * @param workspaces folders that belong to somebody on this host
 */
public record RootFs(
    List<Path> layers, List<Graft> grafts, List<LayerId> sealed, List<Workspace> workspaces) {
  /** How deep a stack of sealed layers may be. */
  public static final int MAX_SEALED = 48;

  public RootFs {
    sealed = List.copyOf(sealed);
    layers = List.copyOf(layers);
    grafts = List.copyOf(grafts);
    workspaces = List.copyOf(workspaces);
    if (layers.isEmpty()) {
      throw new IllegalArgumentException("A root file system has at least one layer");
    }
  }

  public RootFs(List<Path> layers, List<Graft> grafts) {
    this(layers, grafts, List.of(), List.of());
  }

  public RootFs over(List<LayerId> newSealed) {
    return new RootFs(layers, grafts, newSealed, workspaces);
  }

  public RootFs with(List<Workspace> newWorkspaces) {
    return new RootFs(layers, grafts, sealed, newWorkspaces);
  }

  /** The host folder {@code source}, seen at the absolute path {@code target} in the sandbox. */
  public record Graft(String target, Path source) {}

  /**
   * A folder of somebody on this host, which the sandbox sees as if it could write there, and which
   * stays as it is. What belongs to its owner belongs to the sandbox's user inside.
   *
   * <p>What was written is found in sealed layers again by source and target together: over another
   * folder it would make no sense, and is not seen.
   *
   * @param source without a link on the way to it
   * @param hidden paths below it that are not there for the sandbox, nor what is below them, as
   *     {@link dev.cove.model.file.ByteText} has names
   */
  public record Workspace(String target, Path source, boolean readOnly, List<String> hidden) {
    /** How many one sandbox may have. */
    public static final int MAX = 8;

    /** How many hidden paths one may have. */
    public static final int MAX_HIDDEN = 20_000;

    private static final int KEY_BYTES = 8;

    public Workspace {
      hidden = List.copyOf(hidden);
      if (hidden.size() > MAX_HIDDEN) {
        throw new IllegalArgumentException(
            "%s has more than %d paths to hide".formatted(source, MAX_HIDDEN));
      }
    }

    public Workspace hiding(List<String> paths) {
      return new Workspace(target, source, readOnly, paths);
    }

    /** Names what is written to it, the same wherever the same folder has the same place. */
    public String key() {
      try {
        byte[] digest =
            MessageDigest.getInstance("SHA-256")
                .digest((target + "\0" + source).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every JDK has SHA-256", e);
      }
    }
  }
}
