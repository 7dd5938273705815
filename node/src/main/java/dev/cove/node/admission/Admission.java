package dev.cove.node.admission;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/**
 * Lets sandboxes in while there is a place and memory for them.
 *
 * <p>Two things are looked at. What the kernel says is available now: below the reserve nobody is
 * let in. And what sandboxes have been promised: their memory limits together, of those that are
 * paused too, since they keep their memory and wake without asking. Limits are ceilings that most
 * never come near, so the promises may be a multiple of what there is. A stopped sandbox has
 * nothing and is promised nothing.
 */
public final class Admission {
  private final Limits limits;
  private final AvailableMemory memory;

  // Guarded by this.
  private int taken;
  private long promisedMb;

  /**
   * How much there is.
   *
   * @param sandboxes refused beyond it
   * @param reserveBytes what must stay available on the host, the server's own needs included
   * @param memoryBytes what all sandboxes may use together
   * @param overcommit how many times that their limits may add up to
   */
  public record Limits(int sandboxes, long reserveBytes, long memoryBytes, int overcommit) {
    public Limits {
      if (sandboxes < 1) {
        throw new IllegalArgumentException("The maximum of sandboxes must be at least 1");
      }
      if (overcommit < 1) {
        throw new IllegalArgumentException("Promises can be kept once at least");
      }
    }

    private long promisesMb() {
      return Math.multiplyExact(memoryBytes >> 20, (long) overcommit);
    }
  }

  public Admission(Limits limits, AvailableMemory memory) {
    this.limits = limits;
    this.memory = memory;
  }

  /**
   * Refuses a memory limit that this machine could never honour: the kernel would run out before
   * the sandbox reached it, and then picks its victims anywhere.
   *
   * @throws CoveException UNSUPPORTED
   */
  public void requireFits(int memoryMb) {
    long largest = limits.memoryBytes() >> 20;
    if (memoryMb > largest) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "memoryMb is %d, but a sandbox on this machine can have %d at most"
              .formatted(memoryMb, Math.max(0, largest)));
    }
  }

  /**
   * Takes a place, to be given back with {@link #leave}.
   *
   * @throws CoveException NO_ROOM
   */
  public void enter(int memoryMb) {
    requireMemory();
    synchronized (this) {
      if (taken >= limits.sandboxes()) {
        throw new CoveException(
            ErrorCode.NO_ROOM,
            "This server runs its maximum of %d sandboxes; remove some or raise the maximum"
                .formatted(limits.sandboxes()));
      }
      if (promisedMb + memoryMb > limits.promisesMb()) {
        throw new CoveException(
            ErrorCode.NO_ROOM,
            "Sandboxes here have been promised %d MB of the %d that may be, and this one wants %d;"
                    .formatted(promisedMb, limits.promisesMb(), memoryMb)
                + " stop or remove some, or ask for less");
      }
      adopt(memoryMb);
    }
  }

  /**
   * Refuses what needs memory but no place while there is too little.
   *
   * @throws CoveException NO_ROOM
   */
  public void requireMemory() {
    long available = memory.bytes();
    if (available < limits.reserveBytes()) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "This machine has %d MiB of memory available and keeps %d MiB in reserve; remove sandboxes or try again later"
              .formatted(available >> 20, limits.reserveBytes() >> 20));
    }
  }

  /** Counts a sandbox that was there before this server; it is never refused. */
  public synchronized void adopt(int memoryMb) {
    taken++;
    promisedMb += memoryMb;
  }

  public synchronized void leave(int memoryMb) {
    taken--;
    promisedMb -= memoryMb;
  }

  public synchronized int taken() {
    return taken;
  }

  public int maxSandboxes() {
    return limits.sandboxes();
  }

  public long reserveBytes() {
    return limits.reserveBytes();
  }

  public long availableBytes() {
    return memory.bytes();
  }

  /** Where the figures for memory come from. */
  @FunctionalInterface
  public interface AvailableMemory {
    long bytes();
  }
}
