package dev.cove.egress.dial;

import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.io.IOException;

/** There is no connection to the destination, be it forbidden or out of reach. */
public final class DialFailedException extends IOException {
  private final transient Verdict verdict;

  DialFailedException(Verdict verdict) {
    super(verdict.rule());
    this.verdict = verdict;
  }

  /** Denied with the rule, or allowed with what went wrong. */
  public Verdict verdict() {
    return verdict;
  }

  public boolean forbidden() {
    return verdict.outcome() == Outcome.DENIED;
  }
}
