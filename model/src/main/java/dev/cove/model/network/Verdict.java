package dev.cove.model.network;

/**
 * What became of a wish to reach something.
 *
 * @param rule what decided, for people to read, such as {@code allow *.example.com}
 */
public record Verdict(Outcome outcome, String rule) {
  /** What is to be done. */
  public enum Outcome {
    ALLOWED,
    DENIED,
    /** The owner is to be asked. */
    ASK,
    /** Some requests there are allowed: each has to be looked at. */
    BY_REQUEST
  }

  public boolean denied() {
    return outcome == Outcome.DENIED;
  }
}
