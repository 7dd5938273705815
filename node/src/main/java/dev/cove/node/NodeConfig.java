package dev.cove.node;

import java.nio.file.Path;

/**
 * How a node is set up.
 *
 * @param data where templates are kept
 * @param maxSandboxes refused beyond it
 * @param memoryReserveBytes what must stay available on the host
 * @param diskReserveBytes what must stay free on the disk of the data; no layer is made below it
 * @param warmCages how many cages stand ready; 0 for none
 */
public record NodeConfig(
    Path data, int maxSandboxes, long memoryReserveBytes, long diskReserveBytes, int warmCages) {
  public NodeConfig {
    if (maxSandboxes < 1) {
      throw new IllegalArgumentException("The maximum of sandboxes must be at least 1");
    }
    if (warmCages < 0 || warmCages > 1_000) {
      throw new IllegalArgumentException("The number of warm cages must be between 0 and 1000");
    }
  }
}
