package dev.cove.node;

import dev.cove.model.Tier;
import dev.cove.node.admission.Admission;
import java.nio.file.Path;
import java.util.Map;

/**
 * How a node is set up.
 *
 * @param data where templates are kept
 * @param admission how much there is for sandboxes
 * @param diskReserveBytes what must stay free on the disk of the data; no layer is made below it
 * @param warmCages how many cages of a tier stand ready; none of what is not named
 */
public record NodeConfig(
    Path data, Admission.Limits admission, long diskReserveBytes, Map<Tier, Integer> warmCages) {
  public NodeConfig {
    warmCages = Map.copyOf(warmCages);
    if (warmCages.values().stream().anyMatch(size -> size < 0 || size > 1_000)) {
      throw new IllegalArgumentException("The number of warm cages must be between 0 and 1000");
    }
  }
}
