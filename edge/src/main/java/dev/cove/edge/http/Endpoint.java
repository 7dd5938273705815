package dev.cove.edge.http;

import java.io.IOException;

/** Answers one kind of request, blocking as long as it takes. */
@FunctionalInterface
public interface Endpoint {
  void handle(Exchange exchange) throws IOException, InterruptedException;
}
