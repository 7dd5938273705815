package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SandboxApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();

  @Test
  void a_created_sandbox_says_what_it_is_and_where() {
    Answer created =
        EDGE.post(
            "/api/v1/sandboxes",
            """
            {"name":"my box / one","cpus":0.5,"memoryMb":256,"env":{"SECRET":"hush"},"labels":{"team":"a"}}
            """);
    assertThat(created.status()).isEqualTo(201);
    var box = created.json();
    assertThat(box.get("state").asString()).isEqualTo("running");
    assertThat(box.get("cpus").asDouble()).isEqualTo(0.5);
    assertThat(box.get("template").asString()).isEqualTo("host");
    assertThat(box.has("startedAt")).isTrue();
    assertThat(created.text()).doesNotContain("hush");
    assertThat(created.header("Location"))
        .isEqualTo("/api/v1/sandboxes/" + box.get("id").asString());
    assertThat(EDGE.get("/api/v1/sandboxes/my%20box%20%2F%20one").json()).isEqualTo(box);
    assertThat(EDGE.get(created.header("Location")).json()).isEqualTo(box);
  }

  @Test
  void the_same_idempotency_key_and_body_give_the_same_sandbox() {
    var body = "{\"labels\":{\"idempotent\":\"yes\"}}";
    Answer first = createWithKey("key-1", body);
    Answer second = createWithKey("key-1", body);
    Answer other = createWithKey("key-1", "{}");
    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.header("Idempotent-Replay")).isEqualTo("true");
    assertThat(second.json().get("id")).isEqualTo(first.json().get("id"));
    assertThat(other.status()).isEqualTo(409);
    assertThat(createWithKey("k".repeat(129), body).status()).isEqualTo(400);
    assertThat(createWithKey("with\ttab", body).status()).isEqualTo(400);
  }

  private static Answer createWithKey(String key, String body) {
    return EDGE.send(
        "/api/v1/sandboxes",
        request ->
            request.header("Idempotency-Key", key).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void labels_select_and_pages_follow_each_other() {
    for (int i = 0; i < 3; i++) {
      EDGE.create("{\"labels\":{\"page\":\"yes\",\"n\":\"" + i + "\"}}");
    }
    Answer first = EDGE.get("/api/v1/sandboxes?label=page%3Dyes&limit=2");
    assertThat(first.json().get("items").size()).isEqualTo(2);
    String cursor = first.json().get("nextCursor").asString();
    Answer second =
        EDGE.get("/api/v1/sandboxes?label=page=yes&limit=2&cursor=" + RunningEdge.encode(cursor));
    assertThat(second.json().get("items").size()).isEqualTo(1);
    assertThat(second.json().has("nextCursor")).isFalse();
    assertThat(EDGE.get("/api/v1/sandboxes?label=page=yes&label=n=1").json().get("items").size())
        .isEqualTo(1);
    for (String bad :
        new String[] {
          "limit=0",
          "limit=1001",
          "limit=x",
          "limit=%2B5",
          "label=nothing",
          "colour=1",
          "limit=1&limit=2",
          "cursor=%FF",
          "cursor=%zz",
          "label=a=1&label=a=2"
        }) {
      assertThat(
              EDGE.get("/api/v1/sandboxes?label=page=yes&" + bad.replace("%zz", "%25zz")).status())
          .as(bad)
          .isEqualTo(400);
    }
  }

  @Test
  void labels_are_merged_and_a_null_removes_one() {
    String box = EDGE.create("{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}");
    Answer changed =
        EDGE.patch("/api/v1/sandboxes/" + box, "{\"labels\":{\"a\":null,\"c\":\"3\"}}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().get("labels").toString())
        .isIn("{\"b\":\"2\",\"c\":\"3\"}", "{\"c\":\"3\",\"b\":\"2\"}");
    assertThat(EDGE.patch("/api/v1/sandboxes/" + box, "{}").status()).isEqualTo(400);
    assertThat(EDGE.patch("/api/v1/sandboxes/" + box, "{\"name\":\"x\"}").status()).isEqualTo(400);
  }

  @Test
  void a_deleted_sandbox_is_gone() {
    String box = EDGE.create();
    assertThat(EDGE.delete("/api/v1/sandboxes/" + box).status()).isEqualTo(204);
    Answer gone = EDGE.get("/api/v1/sandboxes/" + box);
    assertThat(gone.status()).isEqualTo(404);
    assertThat(gone.code()).isEqualTo("not_found");
    assertThat(gone.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(EDGE.exec(box, "{\"command\":[\"true\"]}").status()).isEqualTo(404);
  }

  @Test
  void a_sandbox_is_measured() {
    String box = EDGE.create("{\"memoryMb\":64}");
    var metrics = EDGE.get("/api/v1/sandboxes/" + box + "/metrics").json();
    assertThat(metrics.at("/memory/limitBytes").asLong()).isEqualTo(64L << 20);
    assertThat(metrics.at("/processes/limit").asInt()).isEqualTo(512);
    assertThat(metrics.has("oomKills")).isTrue();
  }

  @Test
  void the_server_tells_of_itself() {
    var system = EDGE.get("/api/v1/system").json();
    assertThat(system.get("version").asString()).isEqualTo("0.1.0-test");
    assertThat(system.at("/engines/0/tier").asString()).isEqualTo("container");
    assertThat(system.at("/engines/0/findings/0/severity").asString()).isEqualTo("warning");
  }
}
