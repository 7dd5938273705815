package dev.cove.node;

import dev.cove.node.admission.Admission;
import java.nio.file.Path;

/**
 * How a node is set up.
 *
 * @param data where templates are kept
 * @param admission how much there is for sandboxes
 * @param diskReserveBytes what must stay free on the disk of the data; no layer is made below it
 * @param warmCages how many cages stand ready; 0 for none
 */
public record NodeConfig(
    Path data, Admission.Limits admission, long diskReserveBytes, int warmCages) {
  public NodeConfig {
    if (warmCages < 0 || warmCages > 1_000) {
      throw new IllegalArgumentException("The number of warm cages must be between 0 and 1000");
    }
  }
}
