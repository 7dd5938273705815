package dev.cove.sdk;

/** Both sides changed paths in ways that do not go together; nothing was changed. */
public final class ApplyConflictException extends CoveApiException {
  private final transient ApplyResult result;

  ApplyConflictException(int status, String code, String detail, ApplyResult result) {
    super(status, code, detail);
    this.result = result;
  }

  /** Which paths, and why; {@link ApplyResult#applied} is empty. */
  public ApplyResult result() {
    return result;
  }
}
