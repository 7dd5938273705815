package dev.cove.sdk.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What was to be uploaded could not be read; the server is not to blame. */
public final class SourceFailedException extends IOException {
  SourceFailedException(String message, @Nullable IOException cause) {
    super(message, cause);
  }
}
