package dev.cove.egress.http;

import dev.cove.egress.relay.Inflow;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Takes the head of a message from its bytes: all up to the first empty line. */
final class HeadReader {
  private HeadReader() {}

  /**
   * @param patience for the head from its first byte on; for that byte there is time
   * @return nothing when the connection ended before a head began
   */
  static Optional<String> read(Inflow in, Duration patience) throws IOException {
    if (in.available() == 0 && !in.fill(Inflow.FOREVER)) {
      return Optional.empty();
    }
    long deadline = System.nanoTime() + patience.toNanos();
    int at = 0;
    while (true) {
      for (; at < in.available(); at++) {
        if (in.peek(at) == '\n') {
          if (at == 0 || in.peek(at - 1) != '\r') {
            throw new BadMessageException("A line that does not end in CR and LF");
          }
          if (at == 1) {
            throw new BadMessageException("An empty line before the head");
          }
          if (at >= 3 && in.peek(at - 2) == '\n') {
            return Optional.of(new String(in.take(at + 1), StandardCharsets.ISO_8859_1));
          }
        }
      }
      long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      if (left <= 0) {
        throw new SocketTimeoutException("The head took too long");
      }
      if (in.available() == Inflow.MAX_AHEAD) {
        throw new BadMessageException("The head is too long");
      }
      if (!in.fill((int) left)) {
        throw new BadMessageException("The connection ended within a head");
      }
    }
  }
}
