package dev.cove.control.view;

import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles;
import java.util.concurrent.atomic.AtomicBoolean;

/** Files that stay to be read until this is closed. */
public final class View implements AutoCloseable {
  private final Guest guest;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  View(Guest guest, Runnable release) {
    this.guest = guest;
    this.release = release;
  }

  /**
   * The files, with the rights of a user.
   *
   * @param user a name that the files know, or a number
   */
  public GuestFiles files(String user) {
    return guest.files(user);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}
