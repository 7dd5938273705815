package dev.cove.edge.exec;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The memory that collected output may take, for all requests together. Without it a few hundred
 * commands that print without end would fill the heap, each within its own limit.
 */
public final class OutputBudget {
  static final int BLOCK = 16 * 1024;
  private static final long DEFAULT_BYTES = 256L * 1024 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Semaphore blocks;
  private final Duration patience;

  public OutputBudget() {
    this(DEFAULT_BYTES, PATIENCE);
  }

  public OutputBudget(long bytes, Duration patience) {
    this.blocks = new Semaphore(Math.toIntExact(bytes / BLOCK));
    this.patience = patience;
  }

  /** Takes a block, waiting a little for others to finish; the command is held back meanwhile. */
  void takeBlock() throws InterruptedException {
    if (!blocks.tryAcquire() && !blocks.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "Too much output is being collected at once, so the command was ended. Try again later,"
              + " or take the output as text/event-stream");
    }
  }

  void giveBlocks(int count) {
    blocks.release(count);
  }
}
