package dev.cove.engine.container;

import dev.cove.engine.RootFs.Workspace;
import dev.cove.model.file.ByteText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What is hidden of a sandbox's workspaces: a file for each in the sandbox's folder, which the
 * spawner reads whenever it builds the sandbox's root. Paths, each ended by a NUL.
 */
final class HiddenPaths {
  private static final String FILE = "hidden-";

  private HiddenPaths() {}

  static void write(Path folder, List<Workspace> workspaces) throws IOException {
    for (Workspace workspace : workspaces) {
      var bytes = new ByteArrayOutputStream();
      for (String path : workspace.hidden()) {
        bytes.writeBytes(ByteText.encode(path));
        bytes.write(0);
      }
      UnfinishedFiles.replace(folder.resolve(FILE + workspace.key()), bytes.toByteArray());
    }
  }

  static Workspace read(Path folder, String target, Path source, boolean readOnly)
      throws IOException {
    var bare = new Workspace(target, source, readOnly, List.of());
    byte[] bytes = Files.readAllBytes(folder.resolve(FILE + bare.key()));
    var paths = new ArrayList<String>();
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        paths.add(ByteText.decode(Arrays.copyOfRange(bytes, from, i)));
        from = i + 1;
      }
    }
    return new Workspace(target, source, readOnly, paths);
  }
}
