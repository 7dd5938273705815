package dev.cove.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP API without the SDK, for what the SDK hides. */
public final class RawApi implements AutoCloseable {
  private final RunningServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public RawApi(RunningServer server) {
    this.server = server;
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> getIn(String project, String path) throws IOException, InterruptedException {
    return client.send(
        request(path).header("Cove-Project", project).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> getWithoutKey(String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(at(path)).timeout(Duration.ofSeconds(30)).GET().build();
    return client.send(request, BodyHandlers.ofString());
  }

  public HttpResponse<String> post(String path, String json, String... headers)
      throws IOException, InterruptedException {
    return client.send(json(path, json, headers), BodyHandlers.ofString());
  }

  public HttpResponse<String> post(String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).POST(BodyPublishers.ofByteArray(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  public HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    return client.send(
        request(path).method(method, BodyPublishers.noBody()).build(), BodyHandlers.ofString());
  }

  /** A reply that is read as slowly as one likes. */
  InputStream stream(String path) throws IOException, InterruptedException {
    return client.send(request(path).GET().build(), BodyHandlers.ofInputStream()).body();
  }

  /** The same for what comes as events; closing the stream hangs up. */
  HttpResponse<InputStream> follow(String path) throws IOException, InterruptedException {
    HttpRequest request = request(path).header("Accept", "text/event-stream").GET().build();
    return client.send(request, BodyHandlers.ofInputStream());
  }

  /** For a reply that comes in pieces; closing the stream hangs up. */
  public InputStream events(String path, String json) throws IOException, InterruptedException {
    var request = json(path, json, "Accept", "text/event-stream");
    HttpResponse<InputStream> reply = client.send(request, BodyHandlers.ofInputStream());
    if (reply.statusCode() != 200) {
      throw new IOException("status " + reply.statusCode());
    }
    return reply.body();
  }

  public static JsonNode parse(HttpResponse<String> reply) {
    return JsonMapper.shared().readTree(reply.body());
  }

  private HttpRequest json(String path, String json, String... headers) {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return request.build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(at(path))
        .timeout(Duration.ofMinutes(5))
        .header("Authorization", "Bearer " + server.key());
  }

  private URI at(String path) {
    return server.url().resolve(path);
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
