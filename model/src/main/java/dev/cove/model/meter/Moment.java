package dev.cove.model.meter;

/**
 * A moment that no setting of the host's clock moves.
 *
 * @param boot names the run of the kernel
 * @param nanos since that began
 */
public record Moment(String boot, long nanos) {
  public boolean sameBoot(Moment other) {
    return boot.equals(other.boot);
  }

  /**
   * How long after another moment this is. Across a boot only what has passed since is known: for
   * as long as the host was down, nothing was there to be counted.
   */
  public long nanosAfter(Moment earlier) {
    return sameBoot(earlier) ? Math.max(0, nanos - earlier.nanos) : nanos;
  }
}
