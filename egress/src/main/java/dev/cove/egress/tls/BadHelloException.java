package dev.cove.egress.tls;

import java.io.IOException;

/** Bytes that begin like TLS and are not the one message that it begins with. */
public final class BadHelloException extends IOException {
  BadHelloException(String what) {
    super("Bad ClientHello: " + what);
  }

  BadHelloException(String what, Throwable cause) {
    super("Bad ClientHello: " + what, cause);
  }
}
