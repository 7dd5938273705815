package dev.cove.edge.http;

/** Hears of every request that was answered. */
@FunctionalInterface
public interface RequestLog {
  /**
   * @param route the route's method and path, or {@code other}
   */
  void answered(String route, int status, long nanos);
}
