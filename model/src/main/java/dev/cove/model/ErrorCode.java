package dev.cove.model;

import java.util.Locale;

/** Why a request could not be served. The lower-case name is part of the public API. */
public enum ErrorCode {
  INVALID_REQUEST(Kind.CALLER, 400),
  UNAUTHENTICATED(Kind.CALLER, 401),
  /** All that a sandbox or its project may use in this period has been used. */
  BUDGET_EXHAUSTED(Kind.CALLER, 402),
  /** The key is good, but not for this. */
  FORBIDDEN(Kind.CALLER, 403),
  NOT_FOUND(Kind.CALLER, 404),
  METHOD_NOT_ALLOWED(Kind.CALLER, 405),
  REQUEST_TIMEOUT(Kind.CALLER, 408),
  /** The sandbox, process or name is not in a state that allows this. */
  CONFLICT(Kind.CALLER, 409),
  /** A layer is not what was sealed, so nothing can begin with it; it must be deleted or mended. */
  LAYER_DAMAGED(Kind.DEPENDENCY, 409),
  TOO_LARGE(Kind.CALLER, 413),
  UNSUPPORTED_MEDIA_TYPE(Kind.CALLER, 415),
  /** Well-formed, but this host or template cannot do it. */
  UNSUPPORTED(Kind.CALLER, 422),
  /** This host has no tier that is, or that keeps, what was asked for; less is never given. */
  TIER_UNAVAILABLE(Kind.CALLER, 422),
  /** A command or file call failed inside the sandbox: the cause is there, not in the request. */
  GUEST_REFUSED(Kind.CALLER, 422),
  TOO_MANY_REQUESTS(Kind.CAPACITY, 429),
  /** The project has as much as it may have. */
  QUOTA_EXCEEDED(Kind.CAPACITY, 429),
  INTERNAL(Kind.BUG, 500),
  /** The sandbox's agent does not answer. */
  GUEST_UNREACHABLE(Kind.DEPENDENCY, 502),
  /** A server inside the sandbox was asked for and does not answer, or not in good HTTP. */
  BAD_GATEWAY(Kind.CALLER, 502),
  NO_ROOM(Kind.CAPACITY, 503),
  UNAVAILABLE(Kind.DEPENDENCY, 503),
  /** A server inside the sandbox takes too long to answer. */
  GATEWAY_TIMEOUT(Kind.CALLER, 504);

  /** Decides who must act: caller, operator, a thing we depend on, or us. */
  public enum Kind {
    CALLER,
    CAPACITY,
    DEPENDENCY,
    BUG
  }

  private final Kind kind;
  private final int httpStatus;

  ErrorCode(Kind kind, int httpStatus) {
    this.kind = kind;
    this.httpStatus = httpStatus;
  }

  public Kind kind() {
    return kind;
  }

  public int httpStatus() {
    return httpStatus;
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
