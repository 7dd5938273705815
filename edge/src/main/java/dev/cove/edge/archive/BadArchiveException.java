package dev.cove.edge.archive;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** An archive that is broken, or that holds something we do not unpack. */
final class BadArchiveException extends CoveException {
  BadArchiveException(String message) {
    super(ErrorCode.INVALID_REQUEST, message);
  }

  BadArchiveException(String message, Throwable cause) {
    super(ErrorCode.INVALID_REQUEST, message, cause);
  }
}
