package dev.cove.node.image;

import java.io.IOException;

/** An image is not what it says, or asks for what we do not do. */
public final class BadImageException extends IOException {
  private static final long serialVersionUID = 1L;

  public BadImageException(String message) {
    super(message);
  }

  public BadImageException(String message, Throwable cause) {
    super(message, cause);
  }
}
