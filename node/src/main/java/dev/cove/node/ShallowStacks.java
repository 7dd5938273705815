package dev.cove.node;

import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps stacks of layers from growing without end: in one that is deep, a run of layers is merged
 * into one. Safe for use by many threads; one merge at a time.
 *
 * <p>The run is the one that takes the least of the disk, so that a template's large layers, which
 * many share, stay what they are. What was merged is remembered for as long as it is there, because
 * a sandbox that stands on a deep stack is sealed again and again.
 */
final class ShallowStacks {
  /** From here on a stack is merged; it leaves room for what must be made where merging fails. */
  static final int DEEP = RootFs.MAX_SEALED * 2 / 3;

  private static final Logger LOG = LoggerFactory.getLogger(ShallowStacks.class);
  private static final int RUN = 16;
  private static final int MOST_REMEMBERED = 256;

  private final Store store;

  private final Map<List<LayerId>, LayerId> merged =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<LayerId>, LayerId> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  ShallowStacks(Store store) {
    this.store = store;
  }

  /**
   * Layers that show the same as the root's sealed ones and leave room for one more above them. The
   * caller sees to it that no layer is removed meanwhile.
   *
   * @throws CoveException when they are as many as can be, and cannot be merged
   */
  synchronized List<LayerId> of(RootFs root) {
    List<LayerId> layers = root.sealed();
    if (layers.size() < DEEP) {
      return layers;
    }
    int from = cheapestRun(layers);
    List<LayerId> run = List.copyOf(layers.subList(from, from + RUN));
    List<LayerId> shallow = new ArrayList<>(layers.subList(0, from));
    try {
      shallow.add(merged(root.over(run)));
    } catch (CoveException e) {
      if (layers.size() >= RootFs.MAX_SEALED) {
        throw e;
      }
      LOG.warn("{} layers could not be merged, the stack stays deep: {}", RUN, e.getMessage());
      return layers;
    }
    shallow.addAll(layers.subList(from + RUN, layers.size()));
    return List.copyOf(shallow);
  }

  private LayerId merged(RootFs run) {
    LayerId known = merged.get(run.sealed());
    if (known != null && store.layers().contains(known)) {
      return known;
    }
    LayerId fresh = LayerId.random();
    long start = System.nanoTime();
    store.mergeLayers(fresh, run);
    merged.put(run.sealed(), fresh);
    LOG.info("layer {}: {} merged in {} ms", fresh, RUN, (System.nanoTime() - start) / 1_000_000);
    return fresh;
  }

  private int cheapestRun(List<LayerId> layers) {
    long[] bytes = layers.stream().mapToLong(layer -> store.layer(layer).bytes()).toArray();
    long least = Long.MAX_VALUE;
    int best = 0;
    for (int from = 0; from + RUN <= bytes.length; from++) {
      long sum = 0;
      for (int i = from; i < from + RUN; i++) {
        sum += bytes[i];
      }
      if (sum < least) {
        least = sum;
        best = from;
      }
    }
    return best;
  }
}
