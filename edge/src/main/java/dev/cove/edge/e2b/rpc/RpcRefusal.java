package dev.cove.edge.e2b.rpc;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** A remote call that is refused with one of Connect's codes. */
public final class RpcRefusal extends CoveException {
  private final RpcCode rpcCode;

  public RpcRefusal(RpcCode rpcCode, String message) {
    super(ErrorCode.INVALID_REQUEST, message);
    this.rpcCode = rpcCode;
  }

  public RpcCode rpcCode() {
    return rpcCode;
  }
}
