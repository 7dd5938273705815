package dev.cove.edge.http;

import java.io.IOException;
import org.eclipse.jetty.io.QuietException;

/** Tells the HTTP library to cut a connection, and that this is no news for the log. */
final class AbandonedException extends IOException implements QuietException {
  AbandonedException(Throwable cause) {
    super("The answer was abandoned", cause);
  }
}
