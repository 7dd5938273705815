package dev.cove.engine.container;

import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a cage stands on, in a file of its folder: a line for each layer, graft, sealed layer and
 * workspace.
 */
final class RootRecord {
  static final String FILE = "root";

  private RootRecord() {}

  static void write(Path folder, RootFs root) throws IOException {
    HiddenPaths.write(folder, root.workspaces());
    UnfinishedFiles.replace(folder.resolve(FILE), text(root));
  }

  static String text(RootFs root) {
    var text = new StringBuilder();
    root.layers().forEach(layer -> line(text, "layer", plain(layer.toString())));
    for (var graft : root.grafts()) {
      line(text, "graft", plain(graft.target()) + "\t" + plain(graft.source().toString()));
    }
    root.sealed().forEach(layer -> line(text, "sealed", layer.value()));
    for (var one : root.workspaces()) {
      String words = plain(one.target()) + "\t" + plain(one.source().toString());
      line(text, "workspace", words + "\t" + one.readOnly());
    }
    return text.toString();
  }

  static void remove(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(FILE));
  }

  private static void line(StringBuilder text, String kind, String value) {
    text.append(kind).append('\t').append(value).append('\n');
  }

  private static String plain(String path) {
    if (path.indexOf('\n') >= 0 || path.indexOf('\t') >= 0) {
      throw new IllegalArgumentException(
          "A folder of a root file system has a line end in its name");
    }
    return path;
  }

  static Optional<RootFs> find(Path folder) {
    List<Path> layers = new ArrayList<>();
    List<RootFs.Graft> grafts = new ArrayList<>();
    List<LayerId> sealed = new ArrayList<>();
    List<RootFs.Workspace> workspaces = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(folder.resolve(FILE))) {
        String[] words = line.split("\t");
        switch (words[0]) {
          case "layer" -> layers.add(Path.of(words[1]));
          case "graft" -> grafts.add(new RootFs.Graft(words[1], Path.of(words[2])));
          case "workspace" ->
              workspaces.add(
                  HiddenPaths.read(
                      folder, words[1], Path.of(words[2]), Boolean.parseBoolean(words[3])));
          case "sealed" -> sealed.add(new LayerId(words[1]));
          default -> throw new IllegalArgumentException("The record of a root has a " + words[0]);
        }
      }
      return Optional.of(new RootFs(layers, grafts, sealed, workspaces));
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty(); // never written
    }
  }
}
