package dev.cove.engine;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** A cage could not be built or changed; the message names the step and the kernel's answer. */
public final class EngineException extends CoveException {
  public EngineException(String message) {
    super(ErrorCode.UNAVAILABLE, message);
  }

  public EngineException(String message, Throwable cause) {
    super(ErrorCode.UNAVAILABLE, message, cause);
  }

  /** For what is not the kernel's refusal. */
  public EngineException(ErrorCode code, String message) {
    super(code, message);
  }

  public EngineException(ErrorCode code, String message, Throwable cause) {
    super(code, message, cause);
  }
}
