package dev.cove.edge.system;

import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** The description of this API. A test holds it against the routes. */
public final class OpenApiRoutes {
  private final byte[] document;

  public OpenApiRoutes() {
    this.document = load();
  }

  public List<Route> routes() {
    return List.of(Route.of("GET", "/api/openapi.json", this::show).openToAll());
  }

  private void show(Exchange exchange) {
    exchange.send(200, "application/json", document);
  }

  private static byte[] load() {
    try (InputStream in = OpenApiRoutes.class.getResourceAsStream("/dev/cove/edge/openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("The API description is not in the class path");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
