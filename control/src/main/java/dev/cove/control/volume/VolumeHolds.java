package dev.cove.control.volume;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.VolumeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who has which volume. Sandboxes have theirs for long, and whoever wants what they have is
 * refused; for calls that end soon one waits.
 */
final class VolumeHolds {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What somebody does with a volume. */
  enum Access {
    /** Needs it to stay, whoever writes to it. */
    COPY,
    READ,
    WRITE,
    DELETE;

    boolean goesWith(Access other) {
      return switch (this) {
        case COPY -> other != DELETE;
        case READ -> other == COPY || other == READ;
        case WRITE -> other == COPY;
        case DELETE -> false;
      };
    }
  }

  /**
   * @param brief ends soon and by itself
   */
  private record Hold(String holder, VolumeId volume, Access access, boolean brief) {}

  private final List<Hold> holds = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /**
   * Takes all or nothing.
   *
   * @param holder for people, such as "sandbox abc"; also what {@link #release} knows it by
   * @throws CoveException CONFLICT, naming who has it
   */
  void take(String holder, Map<VolumeId, Access> wanted, boolean brief) {
    lock.lock();
    try {
      long left = PATIENCE.toNanos();
      for (var other = conflict(wanted); other.isPresent(); other = conflict(wanted)) {
        if (!other.get().brief() || left <= 0) {
          throw refusal(other.get());
        }
        left = changed.awaitNanos(left);
      }
      wanted.forEach((volume, access) -> holds.add(new Hold(holder, volume, access, brief)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    } finally {
      lock.unlock();
    }
  }

  /** Notes what somebody had before this process began. */
  void adopt(String holder, Map<VolumeId, Access> had) {
    lock.lock();
    try {
      had.forEach((volume, access) -> holds.add(new Hold(holder, volume, access, false)));
    } finally {
      lock.unlock();
    }
  }

  void release(String holder) {
    lock.lock();
    try {
      if (holds.removeIf(hold -> hold.holder().equals(holder))) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Those that have it for long. */
  List<String> holdersOf(VolumeId volume) {
    lock.lock();
    try {
      return holds.stream()
          .filter(hold -> hold.volume().equals(volume) && !hold.brief())
          .map(Hold::holder)
          .toList();
    } finally {
      lock.unlock();
    }
  }

  private Optional<Hold> conflict(Map<VolumeId, Access> wanted) {
    Optional<Hold> brief = Optional.empty();
    for (Hold hold : holds) {
      Access access = wanted.get(hold.volume());
      if (access != null && !access.goesWith(hold.access())) {
        if (!hold.brief()) {
          return Optional.of(hold);
        }
        brief = Optional.of(hold);
      }
    }
    return brief;
  }

  private static CoveException refusal(Hold hold) {
    if (hold.brief()) {
      return new CoveException(
          ErrorCode.CONFLICT,
          "Volume %s is busy with %s; repeat the request.".formatted(hold.volume(), hold.holder()));
    }
    return new CoveException(
        ErrorCode.CONFLICT,
        "Volume %s is mounted %s by %s; one may write or many may read. Delete that sandbox first."
            .formatted(
                hold.volume(),
                hold.access() == Access.READ ? "read-only" : "for writing",
                hold.holder()));
  }
}
