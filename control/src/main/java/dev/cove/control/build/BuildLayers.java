package dev.cove.control.build;

import dev.cove.control.layer.Layers;
import dev.cove.control.template.BuildCache;
import dev.cove.model.LayerId;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The layers that one build stands on and makes. None of them goes before the build has ended,
 * whatever becomes of the template, the checkpoint or the entry of the cache that it has them from.
 */
final class BuildLayers implements AutoCloseable {
  private final Layers layers;
  private final BuildCache cache;
  private final Layers.Pin pin;

  BuildLayers(Layers layers, BuildCache cache) {
    this.layers = layers;
    this.cache = cache;
    this.pin = layers.pin();
  }

  /** What somebody else holds, held here as well. */
  <T> T hold(Supplier<T> found, Function<T, List<LayerId>> layersOf) {
    return layers.using(() -> {
      T holder = found.get();
      pin.add(layersOf.apply(holder));
      return holder;
    });
  }

  /** What the same step gave before. */
  Optional<List<LayerId>> find(String key) {
    return hold(() -> cache.find(key), known -> known.orElse(List.of()));
  }

  /** Seals what a step has written, and remembers what it gave. */
  List<LayerId> keep(String key, Workplace workplace) {
    List<LayerId> made = workplace.seal();
    cache.put(key, made);
    return made;
  }

  Layers.Pin pin() {
    return pin;
  }

  @Override
  public void close() {
    pin.close();
  }
}
