package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The template routes, plainly. */
public final class TemplateCalls implements AutoCloseable {
  public static final String ALL = "/api/v1/templates";

  private final RawApi api;

  public TemplateCalls(RunningServer server) {
    this.api = new RawApi(server);
  }

  public RawApi api() {
    return api;
  }

  public JsonNode make(Map<String, Object> wish) throws IOException, InterruptedException {
    HttpResponse<String> reply = tryToMake(wish);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    return RawApi.parse(reply);
  }

  public HttpResponse<String> tryToMake(Map<String, Object> wish)
      throws IOException, InterruptedException {
    return api.post(ALL, JsonMapper.shared().writeValueAsString(wish));
  }

  /** The events of a build, as text. */
  public String makeWithEvents(Map<String, Object> wish) throws IOException, InterruptedException {
    return api.post(
            ALL, JsonMapper.shared().writeValueAsString(wish), "Accept", "text/event-stream")
        .body();
  }

  public HttpResponse<String> fromContext(String query, TestImage.Layer files)
      throws IOException, InterruptedException {
    return api.post(ALL + "/from-context?" + query, files.finish());
  }

  public HttpResponse<String> fromArchive(String query, byte[] archive)
      throws IOException, InterruptedException {
    return api.post(ALL + "/from-archive?" + query, archive);
  }

  public void removeAll() throws IOException, InterruptedException {
    for (JsonNode template : RawApi.parse(api.get(ALL)).get("items")) {
      if (!template.get("builtIn").asBoolean()) {
        api.send("DELETE", path(template.get("reference").asString()));
      }
    }
  }

  public static String path(String reference) {
    return ALL + "/" + reference.replace("/", "%2F").replace("@", "%40").replace(":", "%3A");
  }

  @Override
  public void close() {
    api.close();
  }
}
