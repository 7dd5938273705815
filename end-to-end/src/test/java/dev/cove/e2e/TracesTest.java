package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A request can be followed through edge, control and node by whoever collects traces. */
class TracesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final List<String> BODIES = new CopyOnWriteArrayList<>();
  private static final List<String> ADMITTED = new CopyOnWriteArrayList<>();
  private static final HttpServer COLLECTOR = collector();

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_POOL_SIZE",
              "0",
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              "http://127.0.0.1:" + COLLECTOR.getAddress().getPort(),
              "OTEL_EXPORTER_OTLP_HEADERS",
              "x-tenant=blue"));

  private static HttpServer collector() {
    try {
      var made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
      made.createContext(
          "/v1/traces",
          exchange -> {
            ADMITTED.add(exchange.getRequestHeaders().getFirst("X-Tenant"));
            BODIES.add(
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      made.start();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  static void close() {
    COLLECTOR.stop(0);
  }

  private record Seen(String trace, String id, String parent, String name) {}

  private static List<Seen> spans(String trace) {
    var json = JsonMapper.builder().build();
    return BODIES.stream()
        .map(json::readTree)
        .flatMap(body -> body.findValues("spans").stream())
        .flatMap(JsonNode::valueStream)
        .map(span ->
            new Seen(
                span.get("traceId").asString(),
                span.get("spanId").asString(),
                span.path("parentSpanId").asString(""),
                span.get("name").asString()))
        .filter(span -> span.trace().equals(trace))
        .toList();
  }

  private static Optional<Seen> named(String trace, String name) {
    return spans(trace).stream().filter(span -> span.name().equals(name)).findFirst();
  }

  private static Seen await(String trace, String name) {
    return Awaitility.await(name)
        .atMost(PATIENCE)
        .until(() -> named(trace, name), Optional::isPresent)
        .orElseThrow();
  }

  private static HttpResponse<String> send(String method, String path, String body, String parent)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(server.url() + path))
              .header("Authorization", "Bearer " + server.key())
              .header("Content-Type", "application/json")
              .header("traceparent", parent)
              .method(method, BodyPublishers.ofString(body))
              .build(),
          BodyHandlers.ofString());
    }
  }

  private static String parent(String trace) {
    return "00-" + trace + "-" + CALLER + "-01";
  }

  @Test
  void a_create_is_one_trace_from_the_callers_span_to_the_agents_greeting() throws Exception {
    HttpResponse<String> made =
        send("POST", "/api/v1/sandboxes", "{\"name\":\"traced\"}", parent(TRACE));
    assertThat(made.statusCode()).isEqualTo(201);
    Seen request = await(TRACE, "POST /api/v1/sandboxes");
    assertThat(request.parent()).isEqualTo(CALLER);
    Seen create = await(TRACE, "create");
    assertThat(create.parent()).isEqualTo(request.id());
    for (String step : List.of("reserve", "record", "start_cage", "greet_agent")) {
      assertThat(await(TRACE, step).parent()).as(step).isEqualTo(create.id());
    }
    assertThat(ADMITTED).containsOnly("blue");
    server.cove().sandboxes().delete("traced");
  }

  @Test
  void spans_hold_nothing_of_what_callers_and_programs_say() {
    try (Sandbox box = server.create(CreateOptions.defaults().env("TOKEN", "hidden-value"))) {
      box.exec(Command.of("sh", "-c", "echo hidden-argument"));
      box.checkpoint();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> BODIES.stream().anyMatch(body -> body.contains("\"checkpoint\"")));
      assertThat(BODIES).noneMatch(body -> body.contains("hidden") || body.contains(box.id()));
      assertThat(BODIES).anyMatch(body -> body.contains("POST /api/v1/sandboxes/{box}/exec"));
    }
  }

  @Test
  void a_problem_names_its_trace_and_a_malformed_parent_begins_a_new_one() throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    assertThat(send("GET", "/api/v1/sandboxes/none", "", parent(trace)).body())
        .contains("\"traceId\":\"" + trace + "\"");
    String answer = send("GET", "/api/v1/sandboxes/none", "", "00-zz-not-a-parent").body();
    assertThat(answer).containsPattern("\"traceId\":\"[0-9a-f]{32}\"").doesNotContain("zz");
    String unwanted = "11112222333344445555666677778888";
    assertThat(
            send("GET", "/api/v1/sandboxes/none", "", "00-" + unwanted + "-" + CALLER + "-00")
                .body())
        .doesNotContain("traceId");
  }
}
