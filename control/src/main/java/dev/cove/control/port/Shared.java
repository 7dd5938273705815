package dev.cove.control.port;

import java.util.Optional;

/** A port just shared, with its token or password, which can be read here and never again. */
public record Shared(SharedPort port, Optional<String> secret) {
  @Override
  public String toString() {
    return "Shared[port=" + port + ", secret=hidden]";
  }
}
