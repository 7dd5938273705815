package dev.cove.security;

import dev.cove.e2e.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Plain requests where the SDK would not let a caller misbehave. */
final class ApiClient {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI url;
  private final String key;

  private ApiClient(URI url, String key) {
    this.url = url;
    this.key = key;
  }

  static ApiClient of(RunningServer server) {
    return new ApiClient(server.url(), server.key());
  }

  /** A request with the right key. */
  HttpRequest.Builder request(String method, String target, String body) {
    return request(method, target, body.getBytes(StandardCharsets.UTF_8));
  }

  HttpRequest.Builder request(String method, String target, byte[] body) {
    return anonymous(method, target, body).header("Authorization", "Bearer " + key);
  }

  HttpRequest.Builder anonymous(String method, String target, byte[] body) {
    return HttpRequest.newBuilder(URI.create(url + target))
        .timeout(PATIENCE)
        .method(
            method,
            body.length == 0
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(body));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<byte[]> sendForBytes(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<String> post(String target, String body) throws IOException, InterruptedException {
    return send(request("POST", target, body).header("Content-Type", "application/json"));
  }

  HttpResponse<String> get(String target) throws IOException, InterruptedException {
    return send(request("GET", target, ""));
  }
}
