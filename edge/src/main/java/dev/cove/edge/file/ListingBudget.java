package dev.cove.edge.file;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Long listings take tens of megabytes, so only a few are made at a time, of whatever files. */
public final class ListingBudget {
  public static final int SHORT = 5_000;
  private static final int LONG_ONES = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Semaphore places = new Semaphore(LONG_ONES);

  public void take() throws InterruptedException {
    if (!places.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "Too many long listings are being made at once; try again later");
    }
  }

  public void give() {
    places.release();
  }
}
