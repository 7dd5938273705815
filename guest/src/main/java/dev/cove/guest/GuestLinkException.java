package dev.cove.guest;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** The link to the agent is broken, closed, or speaks another protocol. */
public final class GuestLinkException extends CoveException {
  public GuestLinkException(String message) {
    super(ErrorCode.GUEST_UNREACHABLE, message);
  }

  public GuestLinkException(String message, Throwable cause) {
    super(ErrorCode.GUEST_UNREACHABLE, message, cause);
  }
}
