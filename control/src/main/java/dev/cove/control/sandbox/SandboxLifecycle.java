package dev.cove.control.sandbox;

import dev.cove.guest.Guest;
import dev.cove.node.SandboxMetrics;
import java.util.Map;
import java.util.Optional;

/** The life of sandboxes as callers see it. Safe for use by many threads. */
@SuppressWarnings("DoNotCallSuggester")
public final class SandboxLifecycle implements AutoCloseable {
  SandboxLifecycle() {}

  public Created create(CreateSandbox request) {
    throw new UnsupportedOperationException(request.template());
  }

  public SandboxPage list(Map<String, String> labels, int limit, Optional<String> cursor) {
    throw new UnsupportedOperationException(labels + " " + limit + cursor);
  }

  public Sandbox require(String idOrName) {
    throw new UnsupportedOperationException(idOrName);
  }

  public Sandbox relabel(String idOrName, Map<String, Optional<String>> changes) {
    throw new UnsupportedOperationException(idOrName + changes);
  }

  public void delete(String idOrName) {
    throw new UnsupportedOperationException(idOrName);
  }

  public Guest guest(String idOrName) {
    throw new UnsupportedOperationException(idOrName);
  }

  public SandboxMetrics metrics(String idOrName) {
    throw new UnsupportedOperationException(idOrName);
  }

  @Override
  public void close() {}
}
