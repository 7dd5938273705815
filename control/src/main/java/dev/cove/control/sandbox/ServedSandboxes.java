package dev.cove.control.sandbox;

import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.service.Services;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.util.Optional;

/** Sandboxes as their services see them. */
record ServedSandboxes(SandboxIndex index) implements Services.Boxes {
  @Override
  public Optional<SandboxSpec> standing(SandboxId id) {
    return index
        .find(id)
        .map(Entry::sandbox)
        .filter(sandbox ->
            switch (sandbox.state()) {
              case SandboxState.Starting _, SandboxState.Running _, SandboxState.Paused _ -> true;
              default -> false;
            })
        .map(Sandbox::spec);
  }

  @Override
  public boolean runs(SandboxId id) {
    return index
        .find(id)
        .map(entry -> entry.sandbox().state())
        .filter(state ->
            state instanceof SandboxState.Running || state instanceof SandboxState.Starting)
        .isPresent();
  }
}
