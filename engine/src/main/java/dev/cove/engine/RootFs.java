package dev.cove.engine;

import java.nio.file.Path;
import java.util.List;

/**
 * The read-only parts of a root file system; the engine puts a writable layer over them.
 *
 * @param layers folders, the uppermost first; files in them carry the ids 0 to 65535 that the
 *     sandbox will see
 * @param grafts further folders that appear below, each with a writable layer of its own
 */
public record RootFs(List<Path> layers, List<Graft> grafts) {
  public RootFs {
    layers = List.copyOf(layers);
    grafts = List.copyOf(grafts);
    if (layers.isEmpty()) {
      throw new IllegalArgumentException("A root file system has at least one layer");
    }
  }

  /** The host folder {@code source}, seen at the absolute path {@code target} in the sandbox. */
  public record Graft(String target, Path source) {}
}
