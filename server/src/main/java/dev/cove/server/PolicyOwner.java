package dev.cove.server;

import dev.cove.control.event.Events;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.egress.NetworkOwner;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Question;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what the owner of a sandbox is asked, and keeps what is answered for good. */
final class PolicyOwner implements NetworkOwner {
  private static final Logger log = LoggerFactory.getLogger(PolicyOwner.class);

  private final Events events;
  private volatile Optional<SandboxLifecycle> lifecycle = Optional.empty();

  PolicyOwner(Events events) {
    this.events = events;
  }

  /** Nobody answers before this. */
  void keepWith(SandboxLifecycle keeper) {
    lifecycle = Optional.of(keeper);
  }

  @Override
  public void asked(SandboxId sandbox, Question question) {
    log.info("sandbox {} asks for {}", sandbox, question.destination());
    // A destination is a host's name or an address with a port: nothing in it needs escaping.
    events.note(
        "network.asked",
        sandbox,
        "{\"question\":\"%s\",\"destination\":\"%s\"}"
            .formatted(question.id(), question.destination()));
  }

  @Override
  public void always(SandboxId sandbox, NetworkRule rule) {
    Thread.ofVirtual().name("policy-owner").start(() -> keep(sandbox, rule));
  }

  private void keep(SandboxId sandbox, NetworkRule rule) {
    try {
      lifecycle.ifPresent(keeper -> {
        var _ =
            keeper.changeNetwork(
                sandbox.value(), settings -> settings.with(settings.policy().alsoAllowing(rule)));
      });
    } catch (CoveException e) {
      log.warn("sandbox {}: an answer could not be kept: {}", sandbox, e.getMessage());
    }
  }
}
