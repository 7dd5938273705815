package dev.cove.guest;

import dev.cove.model.ErrorCode;

/** What a Linux error number from inside means to a caller outside. */
final class Errno {
  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int ESRCH = 3;
  static final int EINTR = 4;
  static final int EAGAIN = 11;
  static final int EBUSY = 16;
  static final int EEXIST = 17;
  static final int EINVAL = 22;
  static final int ENOSYS = 38;
  static final int ENOTEMPTY = 39;
  static final int ETIMEDOUT = 110;

  /**
   * A missing file is the caller's to see as missing; a missing program, folder or user of a
   * command is a refusal, because the thing that was addressed (the sandbox) is there.
   */
  static ErrorCode code(Op op, int errno) {
    if (op == Op.START || op == Op.CONNECT) {
      return ErrorCode.GUEST_REFUSED;
    }
    return switch (errno) {
      case ENOENT -> ErrorCode.NOT_FOUND;
      case EEXIST, ENOTEMPTY, EBUSY, ESRCH -> ErrorCode.CONFLICT;
      default -> ErrorCode.GUEST_REFUSED;
    };
  }

  /** An agent that does not know an operation is one that an earlier server has started. */
  static String message(int errno, String said) {
    return errno == ENOSYS
        ? said + ": it is older than this server. Stop the sandbox and start it again."
        : said;
  }

  private Errno() {}
}
