package dev.cove.control.health;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** What the host lets this process have: file descriptors and threads. */
final class ProcessLimits {
  /** A request takes a few of them, and one that makes a sandbox some more. */
  private static final int SPARE_DESCRIPTORS = 24;

  private ProcessLimits() {}

  static Part descriptors() {
    var system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean(); // Linux alone
    return new Part(
        "descriptors",
        () -> {
          long most = system.getMaxFileDescriptorCount();
          try {
            return complaint(system.getOpenFileDescriptorCount(), most);
          } catch (InternalError _) {
            return complaint(most, most); // to count them takes one, too
          }
        });
  }

  static Optional<String> complaint(long open, long most) {
    return most - open >= SPARE_DESCRIPTORS
        ? Optional.empty()
        : Optional.of(
            "%d of %d file descriptors are in use; close connections, or start the server with a"
                    .formatted(open, most)
                + " higher limit (ulimit -n)");
  }

  /** Threads are not counted but tried: which of several limits comes first, nobody can tell. */
  static Part threads() {
    return new Part("threads", ProcessLimits::tryOne);
  }

  private static Optional<String> tryOne() {
    try {
      Thread.ofPlatform().daemon().name("one-more").start(() -> {});
      return Optional.empty();
    } catch (OutOfMemoryError _) {
      return Optional.of(
          "the host lets the server have no more threads; raise its limit (ulimit -u, TasksMax, or"
              + " pids.max of its cgroup)");
    }
  }
}
