package dev.cove.edge.e2b.rpc;

import dev.cove.edge.http.Problem;
import dev.cove.guest.GuestException;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** A failure in Connect's words. */
record RpcError(String code, String message) {
  /** What a caller is told; a fault of ours is logged by {@link Problem}. */
  static RpcError of(RuntimeException failure, String where) {
    return new RpcError(codeOf(failure).publicName(), Problem.of(failure, where).detail());
  }

  static RpcCode codeOf(RuntimeException failure) {
    return switch (failure) {
      case RpcRefusal refusal -> refusal.rpcCode();
      case GuestException inside -> ofErrno(inside);
      case CoveException refusal -> of(refusal.code());
      case IllegalArgumentException _ -> RpcCode.INVALID_ARGUMENT;
      default -> RpcCode.INTERNAL;
    };
  }

  private static RpcCode ofErrno(GuestException failure) {
    return switch (failure.errno()) {
      case Errno.EPERM, Errno.EACCES -> RpcCode.PERMISSION_DENIED;
      case Errno.EEXIST -> RpcCode.ALREADY_EXISTS;
      case Errno.ENOTDIR, Errno.EISDIR, Errno.EINVAL, Errno.ENAMETOOLONG ->
          RpcCode.INVALID_ARGUMENT;
      case Errno.ELOOP -> RpcCode.FAILED_PRECONDITION;
      case Errno.ENOSPC, Errno.EDQUOT -> RpcCode.RESOURCE_EXHAUSTED;
      default -> of(failure.code());
    };
  }

  private static RpcCode of(ErrorCode code) {
    return switch (code) {
      case INVALID_REQUEST, METHOD_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE, GUEST_REFUSED ->
          RpcCode.INVALID_ARGUMENT;
      case FORBIDDEN -> RpcCode.PERMISSION_DENIED;
      case UNAUTHENTICATED -> RpcCode.UNAUTHENTICATED;
      case NOT_FOUND -> RpcCode.NOT_FOUND;
      case REQUEST_TIMEOUT, GATEWAY_TIMEOUT -> RpcCode.DEADLINE_EXCEEDED;
      case CONFLICT, LAYER_DAMAGED -> RpcCode.FAILED_PRECONDITION;
      case TOO_LARGE, TOO_MANY_REQUESTS, QUOTA_EXCEEDED, BUDGET_EXHAUSTED, NO_ROOM ->
          RpcCode.RESOURCE_EXHAUSTED;
      case UNSUPPORTED, TIER_UNAVAILABLE -> RpcCode.UNIMPLEMENTED;
      case INTERNAL -> RpcCode.INTERNAL;
      case GUEST_UNREACHABLE, BAD_GATEWAY, UNAVAILABLE -> RpcCode.UNAVAILABLE;
    };
  }
}
