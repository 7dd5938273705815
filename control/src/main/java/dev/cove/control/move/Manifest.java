package dev.cove.control.move;

import dev.cove.model.LayerDescription;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a file holds.
 *
 * @param kind {@code checkpoint} or {@code template}
 * @param name what it was called
 * @param release of the host that the layers lie over; empty when they lie over nothing
 * @param layers the uppermost first
 * @param network as NetworkText writes it; files of before have none
 * @param life as LifeText writes it; files of before have none
 */
record Manifest(
    String kind,
    String name,
    String origin,
    String base,
    String release,
    String template,
    String user,
    String cwd,
    List<String> entrypoint,
    Map<String, String> env,
    List<String> start,
    List<String> ready,
    String tier,
    int milliCpus,
    int memoryMb,
    int diskMb,
    int maxProcesses,
    List<LayerDescription> layers,
    String network,
    String life) {
  static final String CHECKPOINT = "checkpoint";
  static final String TEMPLATE = "template";
  static final int MAX_LAYERS = 48;

  Manifest {
    entrypoint = List.copyOf(entrypoint);
    env = Map.copyOf(env);
    start = List.copyOf(start);
    ready = List.copyOf(ready);
    layers = List.copyOf(layers);
    network = Objects.requireNonNullElse(network, "");
    life = Objects.requireNonNullElse(life, "");
    if (layers.size() > MAX_LAYERS) {
      throw new IllegalArgumentException("The file has more than 48 layers");
    }
  }
}
