package dev.cove.egress.intake;

import dev.cove.egress.decision.Decider;
import dev.cove.egress.dial.Dialer;
import dev.cove.egress.http.Page;
import dev.cove.egress.intercept.HttpInterception;
import dev.cove.egress.relay.Relay;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Verdict;
import dev.cove.model.secret.SecretBinding;
import java.time.Duration;
import java.util.List;

/**
 * What the connections of one sandbox need on their way.
 *
 * @param headPatience how long the head of a request or a TLS greeting may take
 */
public record Services(
    SandboxId sandbox,
    Decider decider,
    Grants grants,
    Dialer dialer,
    Relay relay,
    HttpInterception interception,
    Secrets secrets,
    Duration headPatience) {
  /** Which secrets are bound to a destination at this moment. */
  public interface Secrets {
    List<SecretBinding> at(Destination destination);
  }

  /** Says to a program that it may not, why, and what its owner can do. */
  Page denial(Destination destination, Verdict verdict) {
    String remedy =
        decider
            .remedy(destination)
            .map(rule -> "cove network allow %s %s".formatted(sandbox, rule))
            .orElse("");
    return Page.denied(destination.toString(), verdict.rule(), remedy);
  }
}
