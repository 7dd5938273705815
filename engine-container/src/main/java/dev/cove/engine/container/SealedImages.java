package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The images that nobody writes any more, and which of them the spawner has mounted. */
final class SealedImages {
  private static final String SHAPE = ".shape";

  private final Path folder;
  private final Spawner spawner;

  /** With the spawner that has it; another one begins with none. */
  private final Map<LayerId, Long> mounted = new HashMap<>();

  SealedImages(Path folder, Spawner spawner) {
    this.folder = folder;
    this.spawner = spawner;
  }

  /**
   * Sees to it that a cage can be built on the root's sealed layers.
   *
   * @throws EngineException when one is gone, or was made over other folders than the root has: its
   *     parts would come to lie over the wrong ones
   */
  synchronized void require(RootFs root) {
    for (LayerId layer : root.sealed()) {
      requireSameShape(layer, root);
      if (mounted.getOrDefault(layer, 0L) != spawner.pid()) {
        spawner.call(new SpawnerRequest.Shelve(layer, true));
        mounted.put(layer, spawner.pid());
      }
    }
  }

  /** Notes what a layer that is about to be made lies over. */
  void prepare(LayerId layer, RootFs root) throws IOException {
    Files.writeString(shapeFile(layer), shape(root));
  }

  private Path shapeFile(LayerId layer) {
    return folder.resolve(layer.value() + SHAPE);
  }

  /** An image has one part for the layers together and one for each graft, in their order. */
  private static String shape(RootFs root) {
    return root.grafts().stream().map(RootFs.Graft::target).collect(Collectors.joining("\n"));
  }

  private void requireSameShape(LayerId layer, RootFs root) {
    try {
      if (!Files.readString(shapeFile(layer)).equals(shape(root))) {
        throw new EngineException(
            "Layer %s was made over a root file system with other parts".formatted(layer));
      }
    } catch (IOException e) {
      throw new EngineException("Layer %s is not on this host".formatted(layer), e);
    }
  }

  /** The spawner has mounted it on its own. */
  synchronized void noteMounted(LayerId layer) {
    mounted.put(layer, spawner.pid());
  }

  /** Returns when the image is on the disk, and its name too. */
  void force(LayerId layer) throws IOException {
    force(folder.resolve(layer.value()));
    force(shapeFile(layer));
    force(folder);
  }

  private static void force(Path file) throws IOException {
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Also those that were only begun. */
  Set<LayerId> all() {
    var layers = new HashSet<LayerId>();
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString().replace(SHAPE, "");
        if (LayerId.isValid(name)) {
          layers.add(new LayerId(name));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not list " + folder, e);
    }
    return layers;
  }

  synchronized void remove(LayerId layer) {
    if (mounted.containsKey(layer)) {
      spawner.call(new SpawnerRequest.Shelve(layer, false));
      mounted.remove(layer);
    }
    try {
      Files.deleteIfExists(folder.resolve(layer.value()));
      Files.deleteIfExists(shapeFile(layer));
    } catch (IOException e) {
      throw new EngineException("Could not remove layer " + layer, e);
    }
  }
}
