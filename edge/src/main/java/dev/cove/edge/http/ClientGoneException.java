package dev.cove.edge.http;

import java.io.IOException;

/** Whoever asked has left; there is nobody to answer. */
public final class ClientGoneException extends IOException {
  public ClientGoneException() {
    super("The client has closed the connection");
  }

  public ClientGoneException(IOException cause) {
    super("The client has closed the connection", cause);
  }
}
