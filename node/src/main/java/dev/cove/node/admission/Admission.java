package dev.cove.node.admission;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets sandboxes in while there is a place and memory for them.
 *
 * <p>Memory limits are ceilings that most sandboxes never come near, so places are not counted by
 * them. What counts is what the kernel says is available now: below the reserve nobody is let in,
 * and so the kernel is never driven to kill the server.
 */
public final class Admission {
  private final int maxSandboxes;
  private final long reserveBytes;
  private final AvailableMemory memory;
  private final AtomicInteger taken = new AtomicInteger();

  public Admission(int maxSandboxes, long reserveBytes, AvailableMemory memory) {
    this.maxSandboxes = maxSandboxes;
    this.reserveBytes = reserveBytes;
    this.memory = memory;
  }

  /**
   * Refuses a memory limit that this machine could never honour: the kernel would run out before
   * the sandbox reached it, and then picks its victims anywhere.
   *
   * @throws CoveException UNSUPPORTED
   */
  public void requireFits(int memoryMb) {
    long largest = (memory.totalBytes() - reserveBytes) >> 20;
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
  public void enter() {
    requireMemory();
    if (taken.getAndUpdate(n -> n < maxSandboxes ? n + 1 : n) >= maxSandboxes) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "This server runs its maximum of %d sandboxes; remove some or raise the maximum"
              .formatted(maxSandboxes));
    }
  }

  /**
   * Refuses what needs memory but no place while there is too little.
   *
   * @throws CoveException NO_ROOM
   */
  public void requireMemory() {
    long available = memory.bytes();
    if (available < reserveBytes) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "This machine has %d MiB of memory available and keeps %d MiB in reserve; remove sandboxes or try again later"
              .formatted(available >> 20, reserveBytes >> 20));
    }
  }

  /** Counts a sandbox that was there before this server; it is never refused. */
  public void adopt() {
    taken.incrementAndGet();
  }

  public void leave() {
    taken.decrementAndGet();
  }

  public int taken() {
    return taken.get();
  }

  public int maxSandboxes() {
    return maxSandboxes;
  }

  public long reserveBytes() {
    return reserveBytes;
  }

  public long availableBytes() {
    return memory.bytes();
  }

  /** Where the figures for memory come from. */
  @FunctionalInterface
  public interface AvailableMemory {
    long bytes();

    /** All that the machine has; without a bound where nobody knows. */
    default long totalBytes() {
      return Long.MAX_VALUE;
    }
  }
}
