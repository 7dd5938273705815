package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.net.http.HttpRequest;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AuthenticationTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();

  private static Answer without(String target, Consumer<HttpRequest.Builder> more) {
    var request = HttpRequest.newBuilder(EDGE.uri(target)).timeout(RunningEdge.PATIENCE);
    more.accept(request);
    return Answer.of(EDGE.raw(request.build()));
  }

  @Test
  void a_key_is_taken_from_either_header() {
    assertThat(without("/api/v1/system", r -> r.header("X-API-Key", EDGE.key())).status())
        .isEqualTo(200);
    assertThat(
            without("/api/v1/system", r -> r.header("Authorization", "bearer " + EDGE.key()))
                .status())
        .isEqualTo(200);
  }

  @Test
  void whatever_is_wrong_with_a_key_the_answer_is_the_same() {
    var revoked = EDGE.keys().issue("revoked");
    EDGE.keys().revoke(revoked.key().id());
    String flipped =
        EDGE.key().substring(0, EDGE.key().length() - 1) + (EDGE.key().endsWith("0") ? "1" : "0");
    var bodies = new HashSet<String>();
    for (Consumer<HttpRequest.Builder> wrong :
        List.<Consumer<HttpRequest.Builder>>of(
            r -> {},
            r -> r.header("Authorization", "Bearer "),
            r -> r.header("Authorization", "Bearer " + flipped),
            r -> r.header("Authorization", "Bearer " + revoked.secret()),
            r -> r.header("Authorization", "Basic " + EDGE.key()),
            r -> r.header("Authorization", EDGE.key()),
            r -> r.header("X-API-Key", "cove_" + "0".repeat(64)),
            r -> r.header("X-API-Key", "x".repeat(8_000)),
            r -> r.header("X-API-Key", EDGE.key()).header("Authorization", "Bearer " + EDGE.key()),
            r ->
                r.header("Authorization", "Bearer " + EDGE.key())
                    .header("Authorization", "Bearer " + EDGE.key()))) {
      Answer answer = without("/api/v1/system", wrong);
      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
      bodies.add(answer.text());
    }
    assertThat(bodies).hasSize(1);
    assertThat(without("/api/v1/system?key=" + EDGE.key(), r -> {}).status()).isEqualTo(401);
    assertThat(without("/api/v1/system?api_key=" + EDGE.key(), r -> {}).status()).isEqualTo(401);
  }

  @Test
  void every_route_but_three_needs_a_key() {
    for (var route : EDGE.server().routes()) {
      String target = route.path().replaceAll("\\{[a-z]+}", "x");
      Answer answer =
          without(target, r -> r.method(route.method(), HttpRequest.BodyPublishers.noBody()));
      assertThat(answer.status())
          .as(route.method() + " " + target)
          .isEqualTo(route.open() ? 200 : 401);
    }
    assertThat(EDGE.server().routes().stream().filter(r -> r.open()).map(r -> r.path()))
        .containsExactlyInAnyOrder("/healthz", "/readyz", "/api/openapi.json");
    assertThat(without("/no/such/path", r -> {}).status()).isEqualTo(401);
  }

  @Test
  void a_key_is_told_once_and_refused_once_revoked() {
    Answer issued = EDGE.post("/api/v1/keys", "{\"name\":\"ci\"}");
    assertThat(issued.status()).isEqualTo(201);
    String secret = issued.json().get("key").asString();
    String id = issued.json().get("id").asString();
    assertThat(without("/api/v1/keys", r -> r.header("X-API-Key", secret)).status()).isEqualTo(200);
    Answer list = EDGE.get("/api/v1/keys");
    assertThat(list.text()).contains(id).doesNotContain(secret);
    assertThat(EDGE.delete("/api/v1/keys/" + id).status()).isEqualTo(204);
    assertThat(without("/api/v1/keys", r -> r.header("X-API-Key", secret)).status()).isEqualTo(401);
    assertThat(EDGE.delete("/api/v1/keys/unknown").status()).isEqualTo(404);
    assertThat(EDGE.post("/api/v1/keys", "{}").status()).isEqualTo(400);
  }

  @Test
  void a_stranger_s_body_is_not_read() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection.send("POST /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n");
      connection.send("Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n");
      var reply = connection.readReply();
      assertThat(reply.status()).isEqualTo(401);
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void a_name_that_is_not_ours_is_refused() throws Exception {
    for (String host :
        new String[] {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil"}) {
      try (var connection = new RawConnection(EDGE.port())) {
        connection.send(
            "GET /api/v1/system HTTP/1.1\r\nHost: "
                + host
                + ":7070\r\nX-API-Key: "
                + EDGE.key()
                + "\r\n\r\n");
        assertThat(connection.readReply().status()).as(host).isEqualTo(421);
      }
    }
    for (String host : new String[] {"localhost", "LOCALHOST:80", "127.0.0.1:7070", "[::1]:7070"}) {
      try (var connection = new RawConnection(EDGE.port())) {
        connection.send(
            "GET /api/v1/system HTTP/1.1\r\nHost: "
                + host
                + "\r\nX-API-Key: "
                + EDGE.key()
                + "\r\n\r\n");
        assertThat(connection.readReply().status()).as(host).isEqualTo(200);
      }
    }
  }
}
