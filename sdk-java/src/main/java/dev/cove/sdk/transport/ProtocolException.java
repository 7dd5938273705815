package dev.cove.sdk.transport;

import java.io.IOException;

/** The peer sent something that is not HTTP or WebSocket, or more than we are ready to hold. */
public final class ProtocolException extends IOException {
  public ProtocolException(String message) {
    super(message);
  }
}
