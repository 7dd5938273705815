package dev.cove.guest;

import java.io.IOException;

/** The agent's end sent something that the protocol does not allow. It costs the link. */
final class BrokenFrameException extends IOException {
  BrokenFrameException(String message) {
    super(message);
  }
}
