package dev.cove.egress.http;

/** Where the body of a message ends. */
public sealed interface Framing {
  record Length(long bytes) implements Framing {}

  record Chunked() implements Framing {}

  /** Where the connection ends; for answers only. */
  record UntilEnd() implements Framing {}
}
