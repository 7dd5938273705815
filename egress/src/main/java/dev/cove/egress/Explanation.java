package dev.cove.egress;

import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Verdict;
import java.util.Optional;

/** What would become of a connection, and what would have to change for it to be allowed. */
public final class Explanation {
  private final Verdict verdict;
  private final boolean absolute;
  private final Optional<NetworkRule> remedy;

  Explanation(Verdict verdict, boolean absolute, Optional<NetworkRule> remedy) {
    this.verdict = verdict;
    this.absolute = absolute;
    this.remedy = remedy;
  }

  public Verdict verdict() {
    return verdict;
  }

  /** Whether it is forbidden under any policy. */
  public boolean absolute() {
    return absolute;
  }

  /** The smallest rule that would allow it; none when it is allowed already, or no rule could. */
  public Optional<NetworkRule> remedy() {
    return remedy;
  }
}
