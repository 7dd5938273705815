package dev.cove.control.port;

import java.time.Instant;

/** A text that opens one port until some time, for whoever has it. */
public record Pass(String text, Instant expiresAt) {
  @Override
  public String toString() {
    return "Pass[expiresAt=" + expiresAt + ", text=hidden]";
  }
}
