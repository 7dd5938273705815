package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Writings;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Images and layers that a child of the spawner has mounted, in its own mount namespace, to be
 * opened by way of its entry in /proc. It ends with this.
 */
final class ReachedLayers implements Writings {
  private final List<Path> roots;
  private final Optional<ProcessHandle> child;

  private ReachedLayers(List<Path> roots, Optional<ProcessHandle> child) {
    this.roots = List.copyOf(roots);
    this.child = child;
  }

  /** Of a sandbox whose writable layer is a plain folder. */
  static ReachedLayers folder(Path writable) {
    return new ReachedLayers(List.of(writable), Optional.empty());
  }

  /**
   * @param id whose image, or nobody's
   * @param loopDevice at which it is in use, or -1
   */
  static ReachedLayers by(
      Spawner spawner, Optional<SandboxId> id, int loopDevice, List<LayerId> layers) {
    long[] answer;
    try {
      answer = spawner.call(new SpawnerRequest.Reach(id, loopDevice, layers));
    } catch (SpawnerRefusedException e) {
      throw new EngineException("Could not see what was written: " + e.getMessage(), e);
    }
    Path seen = Path.of("/proc/%d/root".formatted(answer[0]));
    var roots = new ArrayList<Path>();
    if (id.isPresent()) {
      roots.add(seen.resolve("writable"));
    }
    for (int i = 0; i < layers.size(); i++) {
      roots.add(seen.resolve("s" + i));
    }
    return new ReachedLayers(roots, ProcessHandle.of(answer[0]));
  }

  @Override
  public List<Path> of(RootFs.Workspace workspace) {
    return roots.stream()
        .map(root -> root.resolve("p" + workspace.key()))
        .filter(Files::isDirectory)
        .toList();
  }

  @Override
  public void close() {
    child.ifPresent(ProcessHandle::destroyForcibly);
  }
}
