package dev.cove.sdk.transport;

import java.io.IOException;

/** The server answered a WebSocket handshake with an ordinary response. */
public final class UpgradeRefusedException extends IOException {
  private final int status;
  private final transient byte[] body;

  UpgradeRefusedException(int status, byte[] body) {
    super("The server refused the WebSocket with status " + status);
    this.status = status;
    this.body = body;
  }

  public int status() {
    return status;
  }

  public byte[] body() {
    return body;
  }
}
