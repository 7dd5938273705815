package dev.cove.control.build;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** The wish to end a build. Safe for use by many threads. */
public final class Cancellation {
  private final List<Runnable> listeners = new ArrayList<>();
  private String reason = "";

  /**
   * Ends the build; the first reason counts.
   *
   * @param why completes the sentence "The build was cancelled: …"
   */
  public void cancel(String why) {
    List<Runnable> told;
    synchronized (this) {
      if (!reason.isEmpty()) {
        return;
      }
      reason = why;
      told = List.copyOf(listeners);
    }
    told.forEach(Runnable::run);
  }

  /** Tells when the end is wished for, now if it was already. */
  void onCancel(Runnable listener) {
    boolean now;
    synchronized (this) {
      now = !reason.isEmpty();
      listeners.add(listener);
    }
    if (now) {
      listener.run();
    }
  }

  synchronized boolean wished() {
    return !reason.isEmpty();
  }

  synchronized void check() {
    if (!reason.isEmpty()) {
      throw new CoveException(ErrorCode.CONFLICT, "The build was cancelled: %s.".formatted(reason));
    }
  }
}
