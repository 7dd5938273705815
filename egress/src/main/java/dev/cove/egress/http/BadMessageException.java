package dev.cove.egress.http;

import java.io.IOException;

/** Bytes that are not HTTP/1 in its one strict reading. */
public final class BadMessageException extends IOException {
  public BadMessageException(String what) {
    super(what);
  }
}
