package dev.cove.control.service;

import java.time.Duration;

/**
 * How patiently services are started again.
 *
 * @param firstWait before the first time; it doubles each time
 * @param longestWait no wait is longer
 * @param attempts so often in a row; then it has failed
 * @param steady who ran for so long begins anew
 */
public record ServiceLimits(
    Duration firstWait, Duration longestWait, int attempts, Duration steady) {
  private static final int LONGEST = 60;
  private static final int ATTEMPTS = 10;

  /** All that follows from how long the first wait is. */
  public static ServiceLimits beginningWith(Duration firstWait) {
    return new ServiceLimits(
        firstWait, firstWait.multipliedBy(LONGEST), ATTEMPTS, firstWait.multipliedBy(LONGEST));
  }

  Duration waitAfter(int failures) {
    Duration wait = firstWait.multipliedBy(1L << Math.min(failures, 30));
    return wait.compareTo(longestWait) > 0 ? longestWait : wait;
  }
}
