package dev.cove.bench.report;

/**
 * One promise about speed or size, and what this run says about it.
 *
 * @param measured what was found, in words
 */
public record Figure(String what, String target, String measured, Verdict verdict) {

  /** Whether the promise was kept. */
  public enum Verdict {
    REACHED,
    MISSED,
    NOT_MEASURED
  }
}
