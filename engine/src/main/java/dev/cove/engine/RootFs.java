package dev.cove.engine;

import dev.cove.model.LayerId;
import java.nio.file.Path;
import java.util.List;

/**
 * The read-only parts of a root file system; the engine puts a writable layer over them.
 *
 * @param layers folders, the uppermost first; files in them carry the ids 0 to 65535 that the
 *     sandbox will see
 * @param grafts further folders that appear below, each with a writable layer of its own
 * @param sealed what earlier sandboxes wrote over the same layers and grafts, the uppermost first
 */
public record RootFs(List<Path> layers, List<Graft> grafts, List<LayerId> sealed) {
  /** How deep a stack of sealed layers may be. */
  public static final int MAX_SEALED = 48;

  public RootFs {
    sealed = List.copyOf(sealed);
    layers = List.copyOf(layers);
    grafts = List.copyOf(grafts);
    if (layers.isEmpty()) {
      throw new IllegalArgumentException("A root file system has at least one layer");
    }
  }

  public RootFs(List<Path> layers, List<Graft> grafts) {
    this(layers, grafts, List.of());
  }

  public RootFs over(List<LayerId> newSealed) {
    return new RootFs(layers, grafts, newSealed);
  }

  /** The host folder {@code source}, seen at the absolute path {@code target} in the sandbox. */
  public record Graft(String target, Path source) {}
}
