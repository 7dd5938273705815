package dev.cove.edge;

import static dev.cove.edge.RunningEdge.await;
import static dev.cove.edge.RunningEdge.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExecEventsTest {
  @RegisterExtension static final RunningEdge EDGE = RunningEdge.impatient();

  private static String box = "";

  @BeforeAll
  static void createBox() {
    box = EDGE.create();
  }

  private static EventReader sh(String script) throws IOException {
    return sh(script, "");
  }

  private static EventReader sh(String script, String more) throws IOException {
    String body =
        "{\"command\":[\"sh\",\"-c\","
            + RunningEdge.JSON.writeValueAsString(script)
            + "]"
            + more
            + "}";
    return new EventReader(EDGE, "POST", "/api/v1/sandboxes/" + box + "/exec", body);
  }

  @Test
  void output_comes_as_it_is_made_and_the_end_last() throws Exception {
    Path go = EDGE.work().resolve("go");
    try (var events =
        sh("echo one; until [ -e " + go + " ]; do sleep 0.02; done; echo two >&2; exit 4")) {
      assertThat(events.next().data().get("processId").asLong()).isPositive();
      var first = events.next();
      assertThat(first.name()).isEqualTo("stdout");
      assertThat(first.data().get("data").asString()).isEqualTo("one\n");
      Files.createFile(go);
      var second = events.next();
      assertThat(second.name()).isEqualTo("stderr");
      assertThat(second.data().get("data").asString()).isEqualTo("two\n");
      var exit = events.next();
      assertThat(exit.name()).isEqualTo("exit");
      assertThat(exit.data().get("exitCode").asInt()).isEqualTo(4);
      assertThat(events.isAtEnd()).isTrue();
    }
  }

  @Test
  void no_character_is_torn_between_two_events() throws Exception {
    var text = new StringBuilder();
    try (var events =
        sh(
            "for i in 1 2 3 4 5 6; do printf '\\360\\237'; sleep 0.05; printf '\\230\\200'; done; printf '\\360\\237'")) {
      for (var event = events.next(); !event.name().equals("exit"); event = events.next()) {
        if (event.name().equals("stdout")) {
          text.append(event.data().get("data").asString());
        }
      }
    }
    assertThat(text.toString()).isEqualTo("😀".repeat(6) + "\ufffd");
  }

  @Test
  void a_silent_stream_says_that_it_lives_longer_than_a_connection_may_idle() throws Exception {
    try (var events = sh("sleep 2.5; echo late")) {
      events.next();
      assertThat(events.next().data().get("data").asString()).isEqualTo("late\n");
      assertThat(events.comments()).isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void a_command_ends_when_its_client_leaves_though_nothing_is_said() throws Exception {
    Path folder = EDGE.work();
    String script =
        "trap '' HUP; echo $$ > %1$s/pid.new; mv %1$s/pid.new %1$s/pid; sleep 600"
            .formatted(folder);
    long pid;
    try (var _ = sh(script)) {
      awaitFile(folder.resolve("pid"));
      pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
      assertThat(isAlive(pid)).isTrue();
    }
    await("the command is gone", () -> !isAlive(pid));
  }

  @Test
  void a_command_that_answers_in_json_ends_when_its_client_leaves() throws Exception {
    Path folder = EDGE.work();
    String script = "echo $$ > %1$s/pid.new; mv %1$s/pid.new %1$s/pid; sleep 600".formatted(folder);
    String body = "{\"command\":[\"sh\",\"-c\",\"" + script + "\"]}";
    long pid;
    try (var connection = new RawConnection(EDGE.port())) {
      connection
          .head(EDGE, "POST /api/v1/sandboxes/" + box + "/exec")
          .send("Content-Length: " + body.length() + "\r\n\r\n" + body);
      awaitFile(folder.resolve("pid"));
      pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
    }
    await("the command is gone", () -> !isAlive(pid));
  }

  @Test
  void a_command_may_take_longer_than_a_connection_may_idle() {
    var answer = EDGE.exec(box, "{\"command\":[\"sleep\",\"2.5\"]}");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.json().get("exitCode").asInt()).isZero();
  }

  @Test
  void a_socket_stays_open_longer_than_a_connection_may_idle() throws Exception {
    try (var socket = TestSocket.open(EDGE, "/api/v1/sandboxes/" + box + "/attach")) {
      socket.text("{\"type\":\"start\",\"command\":[\"sleep\",\"7\"]}").nextText();
      assertThat(socket.nextText().get("type").asString()).isEqualTo("exit");
      assertThat(socket.nextClosed().code()).isEqualTo(1000);
    }
  }

  @Test
  void a_socket_is_closed_when_its_key_is_revoked() throws Exception {
    var issued = EDGE.keys().issue("short");
    try (var socket =
        TestSocket.open(EDGE, "/api/v1/sandboxes/" + box + "/attach", issued.secret())) {
      socket.text("{\"type\":\"start\",\"command\":[\"sleep\",\"600\"]}").nextText();
      EDGE.keys().revoke(issued.key().id());
      assertThat(socket.nextClosed().code()).isEqualTo(1008);
    }
  }

  @Test
  void a_stream_ends_when_its_key_is_revoked() throws Exception {
    var issued = EDGE.keys().issue("short");
    String body = "{\"command\":[\"sleep\",\"600\"]}";
    try (var events =
        new EventReader(
            EDGE, "POST", "/api/v1/sandboxes/" + box + "/exec", body, issued.secret())) {
      assertThat(events.next().name()).isEqualTo("start");
      EDGE.keys().revoke(issued.key().id());
      var error = events.next();
      assertThat(error.name()).isEqualTo("error");
      assertThat(error.data().get("code").asString()).isEqualTo("unauthenticated");
    }
  }

  @Test
  void a_reader_that_stops_holds_back_its_own_command_only() throws Exception {
    try (var events = sh("yes | head -c 200000000")) {
      assertThat(events.next().name()).isEqualTo("start");
      for (int i = 0; i < 5; i++) {
        assertThat(EDGE.exec(box, "{\"command\":[\"true\"]}").status()).isEqualTo(200);
      }
    }
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
