package dev.cove.control.event;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which events are wanted: by their types, or by what they are about, as in {@code sandbox.*}.
 *
 * @param wanted none for all
 */
public record EventTypes(Set<String> wanted) {
  public static final EventTypes ALL = new EventTypes(Set.of());

  private static final List<String> KNOWN =
      List.of(
          "sandbox.created",
          "sandbox.starting",
          "sandbox.running",
          "sandbox.paused",
          "sandbox.resumed",
          "sandbox.stopped",
          "sandbox.failed",
          "sandbox.deleted",
          "sandbox.undeleted",
          "sandbox.removed",
          "sandbox.forked",
          "sandbox.restored",
          "checkpoint.created",
          "checkpoint.deleted",
          "template.built",
          "template.deleted",
          "volume.created",
          "volume.deleted",
          "network.asked",
          "budget.warned",
          "budget.exhausted",
          "key.created",
          "key.revoked",
          "project.created",
          "project.deleted");

  public EventTypes {
    wanted = Set.copyOf(wanted);
  }

  /** Refuses what never happens, which is what a slip of the pen would wait for. */
  public static EventTypes of(Collection<String> types) {
    for (String type : types) {
      if (KNOWN.stream().noneMatch(known -> known.equals(type) || isGroup(type, known))) {
        throw new CoveException(
            ErrorCode.INVALID_REQUEST,
            "There are no events of that type; there are %s, and groups such as sandbox.*."
                .formatted(String.join(", ", KNOWN)));
      }
    }
    return new EventTypes(new TreeSet<>(types));
  }

  public boolean contains(String type) {
    return wanted.isEmpty()
        || wanted.contains(type)
        || wanted.stream().anyMatch(group -> isGroup(group, type));
  }

  private static boolean isGroup(String group, String type) {
    return group.endsWith(".*") && type.startsWith(group.substring(0, group.length() - 1));
  }
}
