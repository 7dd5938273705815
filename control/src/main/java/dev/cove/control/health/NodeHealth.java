package dev.cove.control.health;

import dev.cove.model.CoveException;
import dev.cove.node.Node;
import dev.cove.node.NodeDisk;
import java.util.Optional;

/** How the machine with the sandboxes is. */
final class NodeHealth {
  private NodeHealth() {}

  static Optional<String> complaint(Node node) {
    try {
      node.status();
      return Optional.empty();
    } catch (CoveException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * @param reserve below which nothing is made that takes room
   */
  static Optional<String> diskComplaint(Node node, long reserve) {
    try {
      NodeDisk.Space space = node.diskSpace();
      return space.freeBytes() >= reserve
          ? Optional.empty()
          : Optional.of(
              "%d MB are left on the disk of the data, and %d MB must stay free; delete sandboxes or"
                      .formatted(space.freeBytes() >> 20, reserve >> 20)
                  + " checkpoints, of which cove system df shows the sizes");
    } catch (CoveException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
