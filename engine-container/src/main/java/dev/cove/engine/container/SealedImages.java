package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.LayerId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The images that nobody writes any more, and which of them the spawner has mounted. */
final class SealedImages {
  private final Path folder;
  private final Spawner spawner;

  /** With the spawner that has it; another one begins with none. */
  private final Map<LayerId, Long> mounted = new HashMap<>();

  SealedImages(Path folder, Spawner spawner) {
    this.folder = folder;
    this.spawner = spawner;
  }

  /** Sees to it that cages can be built on these. */
  synchronized void require(List<LayerId> layers) {
    for (LayerId layer : layers) {
      if (mounted.getOrDefault(layer, 0L) != spawner.pid()) {
        if (!Files.exists(folder.resolve(layer.value()))) {
          throw new EngineException("Layer %s is not on this host".formatted(layer));
        }
        spawner.call(new SpawnerRequest.Shelve(layer, true));
        mounted.put(layer, spawner.pid());
      }
    }
  }

  /** The spawner has mounted it on its own. */
  synchronized void noteMounted(LayerId layer) {
    mounted.put(layer, spawner.pid());
  }

  /** Returns when the image is on the disk, and its name too. */
  void force(LayerId layer) throws IOException {
    force(folder.resolve(layer.value()));
    force(folder);
  }

  private static void force(Path file) throws IOException {
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  Set<LayerId> all() {
    var layers = new HashSet<LayerId>();
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
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
    } catch (IOException e) {
      throw new EngineException("Could not remove layer " + layer, e);
    }
  }
}
