package dev.cove.guest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;

/** Answers that are lists or values, taken apart with the link as the price for nonsense. */
final class Records {
  interface Parse<T> {
    T parse() throws BrokenFrameException;
  }

  /** Runs on the caller's thread; a broken answer ends the link as a broken frame does. */
  static <T> T parsed(GuestLink link, Parse<T> parse) {
    try {
      return parse.parse();
    } catch (BrokenFrameException e) {
      GuestLinkException broken =
          new GuestLinkException("The agent broke the protocol: " + e.getMessage(), e);
      link.end(broken);
      throw broken;
    }
  }

  /** All of a channel's output; more than {@code limit} is not a list any more. */
  static byte[] collect(LinkChannel channel, int limit) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] chunk = new byte[8192];
    try {
      for (int n; (n = channel.out().read(chunk)) >= 0; ) {
        if (all.size() + n > limit) {
          throw new GuestLinkException("The agent's answer is longer than " + limit + " bytes");
        }
        all.write(chunk, 0, n);
      }
      return all.toByteArray();
    } catch (IOException e) {
      throw channel.failureOr(e);
    } finally {
      channel.release();
    }
  }

  /** Times come from the sandbox, where a file may be from any year. */
  static Instant instant(long seconds, int nanos) throws BrokenFrameException {
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException | ArithmeticException e) {
      throw new BrokenFrameException("a time is out of range");
    }
  }

  private Records() {}
}
