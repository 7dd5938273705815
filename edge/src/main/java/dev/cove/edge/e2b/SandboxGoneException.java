package dev.cove.edge.e2b;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/** There is no such sandbox, or it does not run: the words by which clients know that. */
final class SandboxGoneException extends CoveException {
  private final transient Body body;

  SandboxGoneException(String sandbox) {
    super(ErrorCode.BAD_GATEWAY, "The sandbox was not found");
    this.body = new Body(sandbox, "The sandbox was not found", 502);
  }

  Body body() {
    return body;
  }

  record Body(String sandboxId, String message, int code) {}
}
