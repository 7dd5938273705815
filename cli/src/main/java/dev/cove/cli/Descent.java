package dev.cove.cli;

import dev.cove.sdk.SandboxInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sandboxes in the order of a family tree: children follow their parent, the oldest first. */
final class Descent {
  private static final Comparator<SandboxInfo> OLDEST_LAST =
      Comparator.comparing(SandboxInfo::createdAt).thenComparing(SandboxInfo::id).reversed();

  /** A sandbox, and how many generations of its ancestors are still there. */
  record Place(SandboxInfo box, int depth) {}

  private Descent() {}

  /** With a stack of its own: a line of forks can be longer than the thread's stack is deep. */
  static List<Place> of(List<SandboxInfo> boxes) {
    Set<String> present = new HashSet<>();
    boxes.forEach(box -> present.add(box.id()));
    Deque<Place> next = new ArrayDeque<>();
    Map<String, List<SandboxInfo>> children = new HashMap<>();
    for (SandboxInfo box : boxes.stream().sorted(OLDEST_LAST).toList()) {
      box.parent()
          .filter(present::contains)
          .ifPresentOrElse(
              parent -> children.computeIfAbsent(parent, _ -> new ArrayList<>()).add(box),
              () -> next.push(new Place(box, 0)));
    }
    List<Place> places = new ArrayList<>();
    while (!next.isEmpty()) {
      Place place = next.pop();
      places.add(place);
      children
          .getOrDefault(place.box.id(), List.of())
          .forEach(child -> next.push(new Place(child, place.depth + 1)));
    }
    return places;
  }
}
