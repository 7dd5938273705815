package dev.cove.edge;

import static dev.cove.edge.RunningEdge.await;
import static dev.cove.edge.RunningEdge.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.edge.RunningEdge.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class ProcessApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static String box = "";

  @BeforeAll
  static void createBox() {
    box = "/api/v1/sandboxes/" + EDGE.create();
  }

  private static JsonNode start(String fields) {
    Answer answer = EDGE.post(box + "/processes", "{" + fields + "}");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    return answer.json();
  }

  private static String sh(String script) {
    return "\"command\":[\"sh\",\"-c\"," + RunningEdge.JSON.writeValueAsString(script) + "]";
  }

  @Test
  void a_process_outlives_its_request_and_is_signalled_and_forgotten() {
    var started = start("\"command\":[\"sleep\",\"600\"],\"cwd\":\"/tmp\"");
    String one = box + "/processes/" + started.get("processId").asLong();
    var shown = EDGE.get(one).json();
    assertThat(shown.get("state").asString()).isEqualTo("running");
    assertThat(shown.get("command").toString()).isEqualTo("[\"sleep\",\"600\"]");
    assertThat(shown.get("cwd").asString()).isEqualTo("/tmp");
    assertThat(EDGE.get(box + "/processes").text())
        .contains("\"processId\":" + started.get("processId"));
    for (String bad :
        new String[] {
          "{}",
          "{\"signal\":\"NOPE\"}",
          "{\"signal\":0}",
          "{\"signal\":65}",
          "{\"signal\":1.5}",
          "{\"signal\":true}",
          "{\"signal\":\"sigterm\"}"
        }) {
      assertThat(EDGE.post(one + "/signal", bad).status()).as(bad).isEqualTo(400);
    }
    assertThat(EDGE.post(one + "/signal", "{\"signal\":\"SIGTERM\"}").status()).isEqualTo(204);
    await("it ended", () -> EDGE.get(one).json().get("state").asString().equals("exited"));
    assertThat(EDGE.get(one).json().get("signal").asString()).isEqualTo("SIGTERM");
    assertThat(EDGE.delete(one).status()).isEqualTo(204);
    assertThat(EDGE.get(one).status()).isEqualTo(404);
    assertThat(EDGE.post(one + "/signal", "{\"signal\":9}").status()).isEqualTo(404);
  }

  @Test
  void a_socket_carries_input_output_and_the_end() throws Exception {
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text("{\"type\":\"start\"," + sh("cat; echo err >&2; exit 5") + ",\"stdin\":true}");
      assertThat(socket.nextText().get("type").asString()).isEqualTo("start");
      socket.binary("hello ".getBytes(StandardCharsets.UTF_8));
      socket.binary("world".getBytes(StandardCharsets.UTF_8)).text("{\"type\":\"stdin-end\"}");
      assertThat(socket.outputUntil("exit")).contains("hello world").contains("err");
      assertThat(socket.last().get("exitCode").asInt()).isEqualTo(5);
      assertThat(socket.nextClosed().code()).isEqualTo(1000);
    }
  }

  @Test
  void output_is_marked_by_its_stream() throws Exception {
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text("{\"type\":\"start\"," + sh("echo out; sleep 0.2; echo err >&2") + "}");
      socket.nextText();
      assertThat((byte[]) socket.next()).isEqualTo("\1out\n".getBytes(StandardCharsets.UTF_8));
      assertThat((byte[]) socket.next()).isEqualTo("\2err\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void a_terminal_has_a_size_and_takes_a_new_one() throws Exception {
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text(
          "{\"type\":\"start\","
              + sh("stty size; read x; stty size; read y; test -t 0 && echo tty")
              + ",\"terminal\":{\"rows\":30,\"cols\":100}}");
      socket.nextText();
      assertThat(new String((byte[]) socket.next(), StandardCharsets.UTF_8)).contains("30 100");
      socket
          .text("{\"type\":\"resize\",\"rows\":40,\"cols\":120}")
          .binary("\n\n".getBytes(StandardCharsets.UTF_8));
      assertThat(socket.outputUntil("exit")).contains("40 120").contains("tty");
    }
  }

  @Test
  void a_signal_reaches_the_command() throws Exception {
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text(
          "{\"type\":\"start\","
              + sh("trap 'echo got it; exit 0' INT; echo up; while :; do sleep 0.05; done")
              + "}");
      socket.nextText();
      socket.next();
      socket.text("{\"type\":\"signal\",\"signal\":\"INT\"}");
      assertThat(socket.outputUntil("exit")).contains("got it");
    }
  }

  @Test
  void closing_kills_a_command_unless_it_is_kept() throws Exception {
    Path folder = EDGE.work();
    long[] pids = new long[2];
    for (boolean keep : new boolean[] {false, true}) {
      Path file = folder.resolve("pid" + keep);
      try (var socket = TestSocket.open(EDGE, box + "/attach")) {
        socket.text(
            "{\"type\":\"start\",\"keep\":"
                + keep
                + ","
                + sh("echo $$ > " + file + ".new; mv " + file + ".new " + file + "; sleep 600")
                + "}");
        awaitFile(file);
        pids[keep ? 1 : 0] = Long.parseLong(Files.readString(file).strip());
      }
    }
    await("the first is gone", () -> ProcessHandle.of(pids[0]).isEmpty());
    assertThat(ProcessHandle.of(pids[1])).isPresent();
    var kept =
        EDGE.get(box + "/processes")
            .json()
            .get("items")
            .valueStream()
            .filter(p -> p.get("pid").asLong() == pids[1])
            .findFirst()
            .orElseThrow();
    assertThat(EDGE.delete(box + "/processes/" + kept.get("processId")).status()).isEqualTo(204);
    await("the second is gone", () -> ProcessHandle.of(pids[1]).isEmpty());
  }

  @Test
  void a_late_reader_gets_what_was_said_before() throws Exception {
    var started = start(sh("echo early; read x; echo $x") + ",\"stdin\":true");
    String attach = box + "/processes/" + started.get("processId") + "/attach";
    try (var first = TestSocket.open(EDGE, attach)) {
      first.nextText();
      assertThat((byte[]) first.next()).isEqualTo("\1early\n".getBytes(StandardCharsets.UTF_8));
    }
    try (var second = TestSocket.open(EDGE, attach)) {
      assertThat(second.nextText().get("pid")).isEqualTo(started.get("pid"));
      second.binary("late\n".getBytes(StandardCharsets.UTF_8));
      assertThat(second.outputUntil("exit")).isEqualTo("early\nlate\n");
    }
  }

  @Test
  void much_output_passes_whole() throws Exception {
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text("{\"type\":\"start\"," + sh("head -c 30000000 /dev/zero | tr '\\0' x") + "}");
      socket.nextText();
      assertThat(socket.outputUntil("exit")).hasSize(30_000_000);
    }
  }

  @Test
  void messages_that_make_no_sense_close_with_a_reason() throws Exception {
    for (String first :
        new String[] {
          "{}",
          "x",
          "{\"type\":\"stop\",\"command\":[\"true\"]}",
          "{\"type\":\"start\"}",
          "{\"type\":\"start\",\"command\":[\"true\"],\"privileged\":true}",
          "{\"type\":\"start\",\"command\":[\"true\"],\"terminal\":{\"rows\":0,\"cols\":1}}",
          "{\"type\":\"start\",\"command\":[\"true\"],\"terminal\":{\"rows\":1}}",
          "[".repeat(10_000)
        }) {
      try (var socket = TestSocket.open(EDGE, box + "/attach")) {
        var error = socket.text(first).nextText();
        assertThat(error.get("type").asString()).as(first).isEqualTo("error");
        assertThat(error.get("code").asString()).isEqualTo("invalid_request");
        assertThat(socket.nextClosed().code()).isEqualTo(1008);
      }
    }
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text("{\"type\":\"start\",\"command\":[\"no-such-program\"]}");
      assertThat(socket.nextText().get("code").asString()).isEqualTo("guest_refused");
    }
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.text("{\"type\":\"start\"," + sh("sleep 600") + "}");
      socket.nextText();
      socket.text("{\"type\":\"dance\"}");
      assertThat(socket.nextText().get("detail").asString()).contains("dance");
      assertThat(socket.nextClosed().code()).isEqualTo(1008);
    }
    try (var socket = TestSocket.open(EDGE, box + "/attach")) {
      socket.textUntilRefused("{\"type\":\"start\",\"cwd\":\"" + "x".repeat(300_000) + "\"}");
      assertThat(socket.nextClosed().code()).isEqualTo(1009);
    }
  }

  @Test
  void what_is_not_there_is_refused_before_the_socket_opens() {
    for (String target : new String[] {"/processes/987654/attach", "/processes/x/attach"}) {
      assertThatThrownBy(() -> TestSocket.open(EDGE, box + target))
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).as(target).isEqualTo(404));
    }
    for (String port : new String[] {"0", "65536", "-1", "x", "99999999"}) {
      assertThatThrownBy(() -> TestSocket.open(EDGE, box + "/ports/" + port + "/connect"))
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).as(port).isEqualTo(400));
    }
    assertThat(EDGE.get(box + "/attach").status()).isEqualTo(426);
  }

  @Test
  void a_port_inside_is_reached_and_closed_direction_by_direction() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(() -> {
            try (var peer = server.accept()) {
              byte[] all = peer.getInputStream().readAllBytes();
              peer.getOutputStream().write(("got " + all.length).getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      try (var socket =
          TestSocket.open(EDGE, box + "/ports/" + server.getLocalPort() + "/connect")) {
        socket.binary(new byte[100_000]).binary(new byte[23]).text("{\"type\":\"end\"}");
        assertThat(new String((byte[]) socket.next(), StandardCharsets.UTF_8))
            .isEqualTo("got 100023");
        assertThat(socket.nextText().get("type").asString()).isEqualTo("end");
        assertThat(socket.nextClosed().code()).isEqualTo(1000);
      }
    }
    int free;
    try (var server = new ServerSocket(0)) {
      free = server.getLocalPort();
    }
    assertThatThrownBy(() -> TestSocket.open(EDGE, box + "/ports/" + free + "/connect"))
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            e -> assertThat(e.getResponse().statusCode()).isEqualTo(422));
  }

  @Test
  void a_web_page_of_another_site_may_not_open_a_socket() throws Exception {
    for (String origin : new String[] {"http://evil.example", "null", "http://localhost.evil"}) {
      try (var connection = new RawConnection(EDGE.port())) {
        connection.head(EDGE, "GET " + box + "/attach").send(upgrade("Origin: " + origin + "\r\n"));
        assertThat(connection.readReply().status()).as(origin).isEqualTo(403);
      }
    }
    try (var connection = new RawConnection(EDGE.port())) {
      connection.head(EDGE, "GET " + box + "/attach").send(upgrade("Origin: http://localhost\r\n"));
      assertThat(connection.readHead().status()).isEqualTo(101);
    }
  }

  static String upgrade(String more) {
    return more
        + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  }
}
