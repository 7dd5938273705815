package dev.cove.edge.http;

import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;

/** The same request, as if it had come for another path and with other fields. */
final class RenamedRequest extends Request.Wrapper {
  private final HttpURI uri;
  private final HttpFields headers;

  RenamedRequest(Request request, Dialect.Renamed name) {
    super(request);
    this.uri = HttpURI.build(request.getHttpURI()).path(name.path()).asImmutable();
    this.headers = with(request.getHeaders(), name.fields());
  }

  private static HttpFields with(HttpFields given, Map<String, String> fields) {
    HttpFields.Mutable changed = HttpFields.build(given);
    fields.forEach(changed::put);
    return changed.asImmutable();
  }

  @Override
  public HttpURI getHttpURI() {
    return uri;
  }

  @Override
  public HttpFields getHeaders() {
    return headers;
  }
}
