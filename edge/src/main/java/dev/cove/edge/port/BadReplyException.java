package dev.cove.edge.port;

import java.io.IOException;

/** A server inside does not speak HTTP as it must. */
final class BadReplyException extends IOException {
  BadReplyException(String message) {
    super(message);
  }
}
