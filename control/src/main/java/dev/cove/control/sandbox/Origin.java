package dev.cove.control.sandbox;

import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.util.List;
import java.util.Optional;

/**
 * What a new sandbox begins with, beside its template.
 *
 * @param layers what others wrote over the template, the uppermost first
 */
record Origin(Optional<SandboxId> parent, List<LayerId> layers) {
  static final Origin TEMPLATE = new Origin(Optional.empty(), List.of());
}
