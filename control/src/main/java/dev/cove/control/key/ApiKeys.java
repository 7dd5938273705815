package dev.cove.control.key;

import java.util.List;
import java.util.Optional;

/** Issues, checks and revokes API keys. Safe for use by many threads. */
@SuppressWarnings("DoNotCallSuggester")
public final class ApiKeys {
  ApiKeys() {}

  public Issued issue(String name) {
    throw new UnsupportedOperationException(name);
  }

  public List<ApiKey> list() {
    throw new UnsupportedOperationException();
  }

  public void revoke(String id) {
    throw new UnsupportedOperationException(id);
  }

  public Optional<ApiKey> authenticate(String presented) {
    throw new UnsupportedOperationException(presented);
  }
}
