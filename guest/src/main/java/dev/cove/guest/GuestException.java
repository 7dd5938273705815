package dev.cove.guest;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** The guest could not do what was asked; the sandbox is fine. */
public final class GuestException extends CoveException {
  private final int errno;

  /**
   * @param errno Linux's number for the cause
   */
  public GuestException(ErrorCode code, int errno, String message) {
    super(code, message);
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }
}
