package dev.cove.edge.tier;

import dev.cove.model.boundary.Boundary;
import java.util.List;

/** What a sandbox of a tier really has, as callers see it. */
public record BoundaryBody(
    String by,
    String kernel,
    boolean hardware,
    String memoryOnPause,
    boolean memoryInCheckpoints,
    String forkCost,
    boolean gpu,
    boolean nestedContainers,
    List<String> devices,
    List<String> notCovered) {
  public static BoundaryBody of(Boundary boundary) {
    return new BoundaryBody(
        boundary.by(),
        boundary.kernel().publicName(),
        boundary.hardware(),
        boundary.memoryOnPause().publicName(),
        boundary.memoryInCheckpoints(),
        boundary.forkCost().publicName(),
        boundary.gpu(),
        boundary.nestedContainers(),
        boundary.devices(),
        boundary.notCovered());
  }
}
