package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** Nothing listens there. */
public final class PortClosedException extends CoveException {
  private final transient PortAddress address;

  PortClosedException(PortAddress address) {
    super(ErrorCode.BAD_GATEWAY, "Nothing listens on port %d".formatted(address.port()));
    this.address = address;
  }

  public PortAddress address() {
    return address;
  }
}
