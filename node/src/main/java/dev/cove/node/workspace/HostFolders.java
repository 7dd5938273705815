package dev.cove.node.workspace;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.Workspace;
import dev.cove.review.hide.HidingRules;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which folders of this host a sandbox may have, and what they say about themselves. */
final class HostFolders {
  private final Path data;

  /**
   * @param data of the node, which no sandbox may have
   */
  HostFolders(Path data) {
    this.data = data;
  }

  /**
   * @throws CoveException INVALID_REQUEST, naming the folder and what is wrong with it
   */
  void require(Workspace workspace) {
    Path path = Path.of(workspace.path());
    Path real;
    try {
      real = path.toRealPath();
    } catch (IOException e) {
      throw refused(path, "is not there, or cannot be reached");
    }
    if (!real.equals(path)) {
      throw refused(path, "leads through a symbolic link; name the folder itself, " + real);
    }
    if (!Files.isDirectory(path)) {
      throw refused(path, "is no folder");
    }
    Path home = home();
    if (path.startsWith(home) || home.startsWith(path)) {
      throw refused(path, "is, holds or lies in the folder where Cove keeps its own files");
    }
  }

  /** The folder in which the data lie, which has others of Cove's beside them. */
  private Path home() {
    try {
      Path real = data.toRealPath();
      Path above = real.getParent();
      return above == null || above.getNameCount() == 0 ? real : above;
    } catch (IOException e) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server's folder cannot be reached", e);
    }
  }

  private static CoveException refused(Path path, String why) {
    return new CoveException(ErrorCode.INVALID_REQUEST, "The project %s %s.".formatted(path, why));
  }

  /** What is hidden in it: by what is usual, by itself and by whoever asks for it. */
  static HidingRules rules(HeldFolder root, Workspace workspace) throws IOException {
    String said = "";
    var file = new TreePath(HidingRules.FILE);
    if (root.find(file).filter(entry -> entry.kind() == Entry.Kind.FILE).isPresent()) {
      try (InputStream in = root.read(file)) {
        byte[] bytes = in.readNBytes(HidingRules.MOST_BYTES + 1);
        if (bytes.length > HidingRules.MOST_BYTES) {
          throw new IllegalArgumentException(
              "%s/%s is larger than %d bytes"
                  .formatted(workspace.path(), HidingRules.FILE, HidingRules.MOST_BYTES));
        }
        said = new String(bytes, StandardCharsets.UTF_8);
      }
    }
    return HidingRules.of(said, workspace.hide(), workspace.show());
  }
}
