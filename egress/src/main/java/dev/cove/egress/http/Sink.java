package dev.cove.egress.http;

import java.io.IOException;

/** Takes bytes. */
public interface Sink {
  void take(byte[] bytes, int offset, int length) throws IOException;
}
