package dev.cove.model.boundary;

import java.util.List;

/**
 * What a sandbox of one tier really has on this host.
 *
 * @param by what makes it, in a few words, such as {@code runsc 0.0~20221219.0, ptrace}
 * @param hardware whether the processor's virtualisation holds it; an emulated machine has none
 * @param memoryInCheckpoints whether a checkpoint holds the memory of programs as well
 * @param nestedContainers whether programs inside can make namespaces and containers of their own
 * @param devices nodes of the host that are inside, because the operator allowed them
 * @param notCovered what it does not hold against, or does not do here, a sentence each
 */
public record Boundary(
    String by,
    KernelOf kernel,
    boolean hardware,
    PausedMemory memoryOnPause,
    boolean memoryInCheckpoints,
    ForkCost forkCost,
    boolean nestedContainers,
    List<String> devices,
    List<String> notCovered) {
  public Boundary {
    devices = List.copyOf(devices);
    notCovered = List.copyOf(notCovered);
  }

  public Boundary withDevices(List<String> nodes) {
    return new Boundary(
        by,
        kernel,
        hardware,
        memoryOnPause,
        memoryInCheckpoints,
        forkCost,
        nestedContainers,
        nodes,
        notCovered);
  }

  /** Whether one of the devices is a graphics processor. */
  public boolean gpu() {
    return devices.stream()
        .anyMatch(node -> node.startsWith("/dev/nvidia") || node.startsWith("/dev/dri/"));
  }
}
