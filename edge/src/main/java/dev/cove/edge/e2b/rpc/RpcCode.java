package dev.cove.edge.e2b.rpc;

import java.util.Locale;

/** Connect's codes and the HTTP statuses that go with them. */
public enum RpcCode {
  CANCELED(499),
  INVALID_ARGUMENT(400),
  DEADLINE_EXCEEDED(504),
  NOT_FOUND(404),
  ALREADY_EXISTS(409),
  PERMISSION_DENIED(403),
  RESOURCE_EXHAUSTED(429),
  FAILED_PRECONDITION(400),
  ABORTED(409),
  UNIMPLEMENTED(501),
  INTERNAL(500),
  UNAVAILABLE(503),
  UNAUTHENTICATED(401);

  private final int httpStatus;

  RpcCode(int httpStatus) {
    this.httpStatus = httpStatus;
  }

  public int httpStatus() {
    return httpStatus;
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
