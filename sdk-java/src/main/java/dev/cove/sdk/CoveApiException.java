package dev.cove.sdk;

/** The server answered, and the answer was no. */
public sealed class CoveApiException extends CoveException permits ApplyConflictException {
  private final int status;
  private final String code;
  private final String detail;

  public CoveApiException(int status, String code, String detail) {
    super(detail, null);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The stable name of the reason, such as {@code not_found} or {@code no_room}. */
  public String code() {
    return code;
  }

  /** A sentence for people. */
  public String detail() {
    return detail;
  }
}
