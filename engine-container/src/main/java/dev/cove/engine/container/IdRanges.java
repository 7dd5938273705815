package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives each sandbox 65,536 user and group ids that nobody else on the host has.
 *
 * <p>A home claims blocks of 1,024 ranges by a file per block in a folder that all homes share, so
 * two servers side by side never give out the same ids. A claim whose home is gone is taken over.
 */
final class IdRanges {
  static final int IDS_PER_SANDBOX = 65_536;

  /** Where all homes of this host meet. Empty after a boot, when no id is in use. */
  static final Path CLAIMS = Path.of("/run/cove-ids");

  private static final long FIRST_ID = 0x1000_0000L;
  private static final int RANGES_PER_BLOCK = 1_024;

  /** The last ids of the 32 bits stay free: -1 is no id, and tools trip over their neighbours. */
  private static final int BLOCKS = 58;

  /** A file lock is the JVM's, not the thread's, so threads need one of their own. */
  private static final ReentrantLock THIS_JVM = new ReentrantLock();

  private final Path claims;
  private final String home;
  private final TreeSet<Integer> blocks = new TreeSet<>();
  private final BitSet used = new BitSet();
  private int next;

  private IdRanges(Path claims, Path home) {
    this.claims = claims;
    this.home = home.toString();
  }

  /** Finds the blocks that an earlier process of this home has claimed. */
  static IdRanges of(Path claims, Path home) {
    var ranges = new IdRanges(claims, home);
    return ranges.withClaims(() -> {
      for (int block = 0; block < BLOCKS; block++) {
        if (ranges.owner(block).filter(ranges.home::equals).isPresent()) {
          ranges.blocks.add(block);
        }
      }
      return ranges;
    });
  }

  /** Marks a range that a sandbox has had since before this process began. */
  synchronized void keep(int firstId) {
    used.set(index(firstId));
  }

  synchronized int take() {
    for (int tries = 0; tries < 2; tries++) {
      var free = findFree();
      if (free.isPresent()) {
        used.set(free.get());
        next = free.get() + 1;
        return (int) (FIRST_ID + (long) free.get() * IDS_PER_SANDBOX);
      }
      blocks.add(claimBlock());
    }
    throw new IllegalStateException("A block that was just claimed has no free range");
  }

  synchronized void release(int firstId) {
    used.clear(index(firstId));
  }

  /** Gives all blocks back. Only when no sandbox is left. */
  synchronized void releaseBlocks() {
    withClaims(() -> {
      for (int block : blocks) {
        Files.deleteIfExists(claim(block));
      }
      blocks.clear();
      return blocks;
    });
  }

  private static int index(int firstId) {
    return (int) ((Integer.toUnsignedLong(firstId) - FIRST_ID) / IDS_PER_SANDBOX);
  }

  /** The range after the last one given, so that ids come back as late as possible. */
  private Optional<Integer> findFree() {
    int capacity = BLOCKS * RANGES_PER_BLOCK;
    for (int i = 0; i < capacity; i++) {
      int candidate = (next + i) % capacity;
      if (blocks.contains(candidate / RANGES_PER_BLOCK) && !used.get(candidate)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private int claimBlock() {
    return withClaims(() -> {
      for (int block = 0; block < BLOCKS; block++) {
        var owner = owner(block);
        if (owner.isEmpty() || Files.notExists(Path.of(owner.get()))) {
          Files.writeString(claim(block), home);
          FailPoint.IDS_CLAIMED.reached();
          return block;
        }
      }
      throw new EngineException(
          "All user ids of this host are claimed by other Cove homes, see " + claims);
    });
  }

  private Path claim(int block) {
    return claims.resolve(Integer.toString(block));
  }

  private Optional<String> owner(int block) throws IOException {
    Path claim = claim(block);
    return Files.exists(claim) ? Optional.of(Files.readString(claim).strip()) : Optional.empty();
  }

  /** Work on the claims that may fail to be read or written. */
  private interface ClaimWork<T> {
    T run() throws IOException;
  }

  private <T> T withClaims(ClaimWork<T> work) {
    THIS_JVM.lock();
    try {
      Files.createDirectories(claims);
      try (var channel =
              FileChannel.open(
                  claims.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var _ = channel.lock()) {
        return work.run();
      }
    } catch (IOException e) {
      throw new EngineException("Could not claim user ids in " + claims, e);
    } finally {
      THIS_JVM.unlock();
    }
  }
}
