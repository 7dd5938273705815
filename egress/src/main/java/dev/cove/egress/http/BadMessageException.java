package dev.cove.egress.http;

import java.io.IOException;

/** Bytes that are not HTTP/1 in its one strict reading. */
public final class BadMessageException extends IOException {
  private final String what;

  public BadMessageException(String what) {
    super(what);
    this.what = what;
  }

  /** What is wrong, in words that quote nothing of it. */
  public String what() {
    return what;
  }
}
