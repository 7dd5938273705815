package dev.cove.model.meter;

/**
 * Something that only grows, from zero.
 *
 * @param since when it was at zero; which tells it from the counters before and after it
 */
public record Counter(Moment since, long value) {
  public Counter {
    if (value < 0) {
      throw new IllegalArgumentException("A counter is never below zero, was " + value);
    }
  }

  /**
   * What came in addition to what was counted up to another reading. A counter that began later
   * counts whole; one that began earlier was counted to its end before the later one began, and a
   * lower value of the same one was read earlier: both add nothing.
   */
  public long beyond(Counter counted) {
    if (!replaces(counted)) {
      return 0;
    }
    return since.equals(counted.since) ? value - counted.value : value;
  }

  /** Whether this is the later reading of the two. */
  public boolean replaces(Counter counted) {
    if (since.equals(counted.since)) {
      return value > counted.value;
    }
    return !since.sameBoot(counted.since) || since.nanos() > counted.since.nanos();
  }
}
