package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;

/**
 * What really holds a sandbox.
 *
 * @param by what makes it, in a few words
 * @param kernel own, or shared with the host
 * @param hardware whether the processor's virtualisation holds it
 * @param memoryOnPause where the memory of a paused sandbox is: ram or disk
 * @param memoryInCheckpoints whether checkpoints hold memory, too
 * @param forkCost shared-files, copied-files or shared-memory
 * @param gpu whether a graphics processor is inside
 * @param nestedContainers whether programs inside can make containers
 * @param devices nodes of the host that are inside
 * @param notCovered what it does not hold against, or does not do on this host
 */
public record Boundary(
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
  public Boundary {
    devices = List.copyOf(devices);
    notCovered = List.copyOf(notCovered);
  }

  static Boundary of(JsonObject json) {
    return new Boundary(
        json.requireText("by"),
        json.requireText("kernel"),
        json.flag("hardware"),
        json.requireText("memoryOnPause"),
        json.flag("memoryInCheckpoints"),
        json.requireText("forkCost"),
        json.flag("gpu"),
        json.flag("nestedContainers"),
        json.texts("devices"),
        json.texts("notCovered"));
  }

  JsonObject toBody() {
    return JsonObject.builder()
        .put("by", by)
        .put("kernel", kernel)
        .put("hardware", hardware)
        .put("memoryOnPause", memoryOnPause)
        .put("memoryInCheckpoints", memoryInCheckpoints)
        .put("forkCost", forkCost)
        .put("gpu", gpu)
        .put("nestedContainers", nestedContainers)
        .put("devices", JsonValue.ofTexts(devices))
        .put("notCovered", JsonValue.ofTexts(notCovered))
        .build();
  }
}
