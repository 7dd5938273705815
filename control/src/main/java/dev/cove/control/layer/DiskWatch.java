package dev.cove.control.layer;

import dev.cove.model.CoveException;
import dev.cove.node.Node;
import dev.cove.node.NodeDisk;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks now and then how full the disk is, and collects layers when little of it is left. */
public final class DiskWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DiskWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int SMALLEST_SHARE = 20;

  private final Layers layers;
  private final Node node;
  private final long wantedBytes;
  private final Thread thread;
  private boolean warned;

  private DiskWatch(Layers layers, Node node, long wantedBytes) {
    this.layers = layers;
    this.node = node;
    this.wantedBytes = wantedBytes;
    this.thread = Thread.ofVirtual().name("watch-disk").unstarted(this::watch);
  }

  /**
   * @param wantedBytes what should be free; on a small disk a twentieth of it will do
   */
  public static DiskWatch start(Layers layers, Node node, long wantedBytes) {
    var watch = new DiskWatch(layers, node, wantedBytes);
    watch.thread.start();
    return watch;
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(INTERVAL);
        look();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void look() {
    try {
      boolean low = isLow(node.diskSpace(), wantedBytes);
      if (low) {
        layers.prune();
        low = isLow(node.diskSpace(), wantedBytes);
      }
      if (low && !warned) {
        log.warn(
            "{} MB are left on the disk of the data, though all that nobody needs is gone; cove"
                + " system df says what takes the room",
            node.diskSpace().freeBytes() >> 20);
      }
      warned = low;
    } catch (CoveException e) {
      log.warn("The disk could not be examined", e);
    }
  }

  static boolean isLow(NodeDisk.Space space, long wantedBytes) {
    return space.freeBytes() < Math.min(wantedBytes, space.totalBytes() / SMALLEST_SHARE);
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
