package dev.cove.control.event;

import dev.cove.model.SandboxId;
import java.util.Optional;

/** Which events are wanted. */
public record EventFilter(Optional<SandboxId> sandbox, EventTypes types) {
  public static final EventFilter ALL = new EventFilter(Optional.empty(), EventTypes.ALL);

  boolean matches(Event event) {
    return types.contains(event.type())
        && (sandbox.isEmpty() || sandbox.map(SandboxId::value).equals(event.sandbox()));
  }
}
