package dev.cove.engine.container;

import dev.cove.engine.EngineException;
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

  private static final Path CLAIMS = Path.of("/run/cove-ids");
  private static final long FIRST_ID = 0x1000_0000L;
  private static final int RANGES_PER_BLOCK = 1_024;

  /** The last ids of the 32 bits stay free: -1 is no id, and tools trip over their neighbours. */
  private static final int BLOCKS = 58;

  /** A file lock is the JVM's, not the thread's, so threads need one of their own. */
  private static final ReentrantLock THIS_JVM = new ReentrantLock();

  private final String home;
  private final TreeSet<Integer> blocks = new TreeSet<>();
  private final BitSet used = new BitSet();
  private int next;

  private IdRanges(Path home) {
    this.home = home.toString();
  }

  /** Finds the blocks that an earlier process of this home has claimed. */
  static IdRanges of(Path home) {
    var ranges = new IdRanges(home);
    withClaims(claims -> {
      for (int block = 0; block < BLOCKS; block++) {
        if (owner(claims, block).filter(ranges.home::equals).isPresent()) {
          ranges.blocks.add(block);
        }
      }
      return ranges;
    });
    return ranges;
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
    withClaims(claims -> {
      for (int block : blocks) {
        Files.deleteIfExists(claims.resolve(Integer.toString(block)));
      }
      return blocks;
    });
    blocks.clear();
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
    return withClaims(claims -> {
      for (int block = 0; block < BLOCKS; block++) {
        var owner = owner(claims, block);
        if (owner.isEmpty() || Files.notExists(Path.of(owner.get()))) {
          Files.writeString(claims.resolve(Integer.toString(block)), home);
          return block;
        }
      }
      throw new EngineException(
          "All user ids of this host are claimed by other Cove homes, see " + CLAIMS);
    });
  }

  private static Optional<String> owner(Path claims, int block) throws IOException {
    Path claim = claims.resolve(Integer.toString(block));
    return Files.exists(claim) ? Optional.of(Files.readString(claim).strip()) : Optional.empty();
  }

  /** Work on the claims that may fail to be read or written. */
  private interface ClaimWork<T> {
    T run(Path claims) throws IOException;
  }

  private static <T> T withClaims(ClaimWork<T> work) {
    THIS_JVM.lock();
    try {
      Files.createDirectories(CLAIMS);
      try (var channel =
              FileChannel.open(
                  CLAIMS.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var _ = channel.lock()) {
        return work.run(CLAIMS);
      }
    } catch (IOException e) {
      throw new EngineException("Could not claim user ids in " + CLAIMS, e);
    } finally {
      THIS_JVM.unlock();
    }
  }
}
