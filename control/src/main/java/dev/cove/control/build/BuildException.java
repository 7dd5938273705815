package dev.cove.control.build;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** A description or a context that cannot be built. The message is written for the caller. */
public final class BuildException extends CoveException {
  /**
   * @param line of the Dockerfile, or the position of the step, from 1
   */
  public BuildException(int line, String message) {
    this("Line %d: %s".formatted(line, message));
  }

  public BuildException(String message) {
    this(ErrorCode.INVALID_REQUEST, message);
  }

  public BuildException(ErrorCode code, String message) {
    super(code, message);
  }
}
