package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.Map;

/** A refusal whose status or headers say more than its code does. */
public final class HttpRefusal extends CoveException {
  private final int status;
  private final transient Map<String, String> headers;

  public HttpRefusal(int status, ErrorCode code, String message) {
    this(status, code, message, Map.of());
  }

  public HttpRefusal(int status, ErrorCode code, String message, Map<String, String> headers) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }

  int status() {
    return status;
  }

  Map<String, String> headers() {
    return headers;
  }
}
