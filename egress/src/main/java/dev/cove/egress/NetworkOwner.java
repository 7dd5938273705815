package dev.cove.egress;

import dev.cove.model.SandboxId;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Question;

/** Is told what concerns the owner of a sandbox's policy. Called on threads that must not wait. */
public interface NetworkOwner {
  /** Connections wait for an answer. */
  void asked(SandboxId sandbox, Question question);

  /** It was answered for good, and so is to be kept. */
  void always(SandboxId sandbox, NetworkRule rule);
}
