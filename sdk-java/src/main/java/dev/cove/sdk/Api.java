package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Endpoint;
import dev.cove.sdk.transport.HttpClient;
import dev.cove.sdk.transport.Request;
import dev.cove.sdk.transport.Response;
import dev.cove.sdk.transport.SourceFailedException;
import dev.cove.sdk.transport.UpgradeRefusedException;
import dev.cove.sdk.transport.WebSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Turns HTTP answers into values and failures into the two exceptions that callers know. */
final class Api implements AutoCloseable {
  static final String ROOT = "/api/v1";
  private static final int MAX_JSON = 64 * 1024 * 1024;

  private final URI url;
  private final HttpClient http;

  /**
   * @param project where to act; the server decides when there is none
   */
  Api(URI url, String apiKey, Optional<String> project) {
    this.url = url;
    var headers =
        new HashMap<>(Map.of("Authorization", "Bearer " + apiKey, "User-Agent", "cove-java"));
    project.ifPresent(name -> headers.put("Cove-Project", name));
    this.http = new HttpClient(Endpoint.of(url), Map.copyOf(headers));
  }

  URI url() {
    return url;
  }

  /** Calls and reads the answer; what the reader can't make sense of is the server's failure. */
  <T> T call(Request request, Function<JsonObject, T> reader) {
    try (Response response = send(request)) {
      return reader.apply(Json.parseObject(response.readAll(MAX_JSON)));
    } catch (IOException e) {
      throw unreachable(e);
    } catch (JsonShapeException e) {
      throw garbled(e);
    }
  }

  <T> T call(String method, String path, JsonObject body, Function<JsonObject, T> reader) {
    return call(Request.of(method, path).body(Body.json(Json.write(body))), reader);
  }

  <T> T fetch(String path, Function<JsonObject, T> reader) {
    return call(Request.of("GET", path), reader);
  }

  /** For calls whose answer has no body. */
  void order(Request request) {
    try (Response response = send(request)) {
      response.readAll(MAX_JSON);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  void order(String method, String path, JsonObject body) {
    order(Request.of(method, path).body(Body.json(Json.write(body))));
  }

  /** The caller closes the answer. */
  Response send(Request request) {
    Response response;
    try {
      response = http.send(request);
    } catch (SourceFailedException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    } catch (IOException e) {
      throw unreachable(e);
    }
    if (response.status() / 100 == 2) {
      return response;
    }
    try (response) {
      throw problem(response.status(), response.readAll(MAX_JSON));
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  WebSocket openWebSocket(String path) {
    try {
      return http.openWebSocket(Request.of("GET", path));
    } catch (UpgradeRefusedException e) {
      throw problem(e.status(), e.body());
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  static CoveApiException problem(int status, byte[] body) {
    try {
      return problem(status, Json.parseObject(body));
    } catch (JsonShapeException e) {
      return new CoveApiException(
          status, "unknown", "The server answered with status " + status + " and no reason");
    }
  }

  static CoveApiException problem(int status, JsonObject problem) {
    String fallback = problem.findText("title").orElse("The server refused the request");
    String code = problem.findText("code").orElse("unknown");
    String detail = problem.findText("detail").orElse(fallback);
    return problem.find("conflicts").isPresent()
        ? new ApplyConflictException(status, code, detail, ApplyResult.of(problem))
        : new CoveApiException(status, code, detail);
  }

  CoveConnectionException unreachable(IOException e) {
    String why =
        switch (e) {
          case ConnectException _ -> "nothing listens there";
          case UnknownHostException _ -> "there is no host of that name";
          case SocketTimeoutException _ -> "it did not answer in time";
          default -> String.valueOf(e.getMessage());
        };
    return new CoveConnectionException("The Cove server at " + url + " failed us: " + why, e);
  }

  CoveConnectionException garbled(JsonShapeException e) {
    return new CoveConnectionException(
        "The server at " + url + " sent an answer that Cove does not know: " + e.getMessage(), e);
  }

  /** One path segment, or a query's name or value. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    http.close();
  }
}
