package dev.cove.edge.exec;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The beginning of one output stream. What comes after the limit is read and dropped, so that the
 * command can end.
 */
final class CollectedOutput implements OutputReader.Sink {
  static final int LIMIT = 8 * 1024 * 1024;

  private final OutputBudget budget;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<byte[]> blocks = new ArrayList<>();
  private int size;
  private boolean truncated;
  private boolean sealed;

  CollectedOutput(OutputBudget budget) {
    this.budget = budget;
  }

  @Override
  public void accept(byte[] bytes, int length) throws InterruptedException {
    for (int from = 0; from < length; ) {
      int used = size % OutputBudget.BLOCK;
      boolean needsBlock = used == 0 && size < LIMIT;
      if (needsBlock) {
        budget.takeBlock();
      }
      lock.lock();
      try {
        if (sealed) {
          if (needsBlock) {
            budget.giveBlocks(1);
          }
          return;
        }
        if (size == LIMIT) {
          truncated = true;
          return;
        }
        if (needsBlock) {
          blocks.add(new byte[OutputBudget.BLOCK]);
        }
        int copied = Math.min(length - from, OutputBudget.BLOCK - used);
        System.arraycopy(bytes, from, blocks.getLast(), used, copied);
        size += copied;
        from += copied;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Nothing is added from now on. */
  void seal() {
    lock.lock();
    try {
      sealed = true;
    } finally {
      lock.unlock();
    }
  }

  int size() {
    return size;
  }

  boolean truncated() {
    return truncated;
  }

  InputStream bytes() {
    var parts = new ArrayList<InputStream>(blocks.size());
    int left = size;
    for (byte[] block : blocks) {
      parts.add(new ByteArrayInputStream(block, 0, Math.min(left, block.length)));
      left -= block.length;
    }
    return new SequenceInputStream(Collections.enumeration(parts));
  }

  /** Gives the memory back. */
  void release() {
    seal();
    budget.giveBlocks(blocks.size());
    blocks.clear();
  }
}
