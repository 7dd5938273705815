package dev.cove.node;

import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.util.List;
import java.util.Map;

/**
 * What a node keeps on its disk.
 *
 * @param layers what each sealed layer takes, in bytes
 */
public record NodeDisk(Map<LayerId, Long> layers, Map<SandboxId, SandboxDisk> sandboxes) {
  public NodeDisk {
    layers = Map.copyOf(layers);
    sandboxes = Map.copyOf(sandboxes);
  }

  /**
   * What a sandbox keeps.
   *
   * @param bytes what it has written and no layer was made of
   * @param layers what it stands on
   */
  public record SandboxDisk(long bytes, List<LayerId> layers) {
    public SandboxDisk {
      layers = List.copyOf(layers);
    }
  }

  /** The disk that the node's data are on. */
  public record Space(long totalBytes, long freeBytes) {}
}
