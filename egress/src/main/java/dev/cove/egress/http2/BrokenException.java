package dev.cove.egress.http2;

import java.io.IOException;

/** Carries a failure through Jetty's parser, which knows no checked ones. */
final class BrokenException extends RuntimeException {
  /** Work that may fail. */
  interface Reading {
    void run() throws IOException;
  }

  private final transient IOException why;

  BrokenException(IOException why) {
    super(why);
    this.why = why;
  }

  IOException why() {
    return why;
  }

  /** What listeners throw comes through the parser wrapped. */
  static void guarded(Reading reading) throws IOException {
    try {
      reading.run();
    } catch (BrokenException e) {
      throw e.why();
    }
  }

  static void attempt(Reading reading) {
    try {
      reading.run();
    } catch (IOException e) {
      throw new BrokenException(e);
    }
  }
}
