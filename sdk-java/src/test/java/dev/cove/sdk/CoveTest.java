package dev.cove.sdk;

import static dev.cove.sdk.CannedAnswers.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.transport.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("StringConcatToTextBlock") // the lines end in CR LF
@Timeout(30)
class CoveTest {
  private static final String BOX =
      """
      {"id":"abc","name":"n","state":"running","template":"host","tier":"container","cpus":0.5,\
      "memoryMb":64,"diskMb":128,"maxProcesses":32,"labels":{"k":"v"},\
      "createdAt":"2026-11-15T23:00:00Z","later":"unknown to us"}\
      """;

  private final List<String> requests = new CopyOnWriteArrayList<>();

  private ScriptedServer answering(String... answers) throws IOException {
    return CannedAnswers.serve(requests, answers);
  }

  private static Cove connect(ScriptedServer server) {
    return Cove.connect(server.url(), "cove_key");
  }

  @Test
  void a_sandbox_that_was_made_is_deleted_when_it_is_closed() throws IOException {
    try (var server = answering(json(201, BOX), json(204, ""));
        var cove = connect(server)) {
      try (Sandbox box = cove.sandboxes().create(CreateOptions.defaults().name("n").cpus(0.5))) {
        assertThat(box.info().labels()).containsEntry("k", "v");
        assertThat(box.info().startedAt()).isEmpty();
      }
      assertThat(requests)
          .containsExactly(
              "POST /api/v1/sandboxes {\"name\":\"n\",\"cpus\":0.5}",
              "DELETE /api/v1/sandboxes/abc");
    }
  }

  @Test
  void a_sandbox_that_was_found_or_detached_outlives_its_object() throws IOException {
    try (var server = answering(json(200, BOX), json(201, BOX));
        var cove = connect(server)) {
      cove.sandboxes().require("a box/with ?#").close();
      cove.sandboxes().create().detach().close();
      assertThat(requests)
          .containsExactly(
              "GET /api/v1/sandboxes/a%20box%2Fwith%20%3F%23", "POST /api/v1/sandboxes {}");
    }
  }

  @Test
  void a_sandbox_that_is_gone_already_can_be_closed() throws IOException {
    String gone =
        "{\"status\":404,\"code\":\"not_found\",\"detail\":\"There is no such sandbox.\"}";
    try (var server = answering(json(201, BOX), json(404, gone), json(404, gone));
        var cove = connect(server)) {
      cove.sandboxes().create().close();
      assertThat(cove.sandboxes().find("abc")).isEmpty();
    }
  }

  @Test
  void a_refusal_carries_status_code_and_sentence() throws IOException {
    String problem =
        "{\"type\":\"about:blank\",\"title\":\"No room\",\"status\":503,\"code\":\"no_room\","
            + "\"detail\":\"The host has no memory left for another sandbox.\"}";
    try (var server = answering(json(503, problem), json(502, "<html>bad gateway</html>"));
        var cove = connect(server)) {
      assertThatThrownBy(() -> cove.sandboxes().create())
          .isInstanceOfSatisfying(
              CoveApiException.class,
              e -> {
                assertThat(e.status()).isEqualTo(503);
                assertThat(e.code()).isEqualTo("no_room");
                assertThat(e).hasMessage("The host has no memory left for another sandbox.");
              });
      assertThatThrownBy(() -> cove.sandboxes().create())
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.code()).isEqualTo("unknown"));
    }
  }

  @Test
  void an_answer_of_another_shape_is_a_connection_failure_not_a_crash() throws IOException {
    try (var server =
            answering(json(200, "{\"id\":5}"), json(200, "[]"), json(200, "hello"), json(200, ""));
        var cove = connect(server)) {
      for (int i = 0; i < 4; i++) {
        assertThatThrownBy(() -> cove.sandboxes().require("x"))
            .isInstanceOf(CoveConnectionException.class)
            .hasMessageContaining("does not know");
      }
    }
  }

  @Test
  void a_server_that_is_not_there_is_told_in_a_sentence_without_the_key() throws IOException {
    URI url;
    try (var server = answering()) {
      url = server.url();
    }
    try (var cove = Cove.connect(url, "cove_secret")) {
      assertThat(cove.healthy()).isFalse();
      assertThatThrownBy(() -> cove.sandboxes().list())
          .isInstanceOf(CoveConnectionException.class)
          .hasMessageContaining("nothing listens there")
          .hasMessageNotContaining("cove_secret");
    }
  }

  @Test
  void a_list_is_read_page_by_page() throws IOException {
    try (var server =
            answering(
                json(200, "{\"items\":[" + BOX + "],\"nextCursor\":\"c 1\"}"),
                json(200, "{\"items\":[" + BOX + "]}"));
        var cove = connect(server)) {
      assertThat(cove.sandboxes().list(Map.of("team", "a&b"))).hasSize(2);
      assertThat(requests)
          .containsExactly(
              "GET /api/v1/sandboxes?limit=1000&label=team%3Da%26b",
              "GET /api/v1/sandboxes?limit=1000&label=team%3Da%26b&cursor=c%201");
    }
  }

  @Test
  void output_that_is_not_text_survives_exec() throws IOException {
    String result =
        "{\"exitCode\":0,\"timedOut\":false,\"oomKilled\":false,\"stdout\":\"/wD+\",\"stderr\":\"\","
            + "\"stdoutTruncated\":false,\"stderrTruncated\":true,\"durationMs\":1}";
    try (var server = answering(json(200, BOX), json(200, result));
        var cove = connect(server)) {
      ExecResult done =
          cove.sandboxes()
              .require("abc")
              .exec(Command.of("x").user("root").cwd("/tmp").env("A", "b"), new byte[] {1, 0, 2});
      assertThat(done.stdoutBytes()).containsExactly(0xff, 0, 0xfe);
      assertThat(done.truncated()).isTrue();
      assertThat(requests.getLast())
          .isEqualTo(
              "POST /api/v1/sandboxes/abc/exec {\"command\":[\"x\"],\"cwd\":\"/tmp\","
                  + "\"user\":\"root\",\"env\":{\"A\":\"b\"},\"encoding\":\"base64\","
                  + "\"stdinBase64\":\"AQAC\"}");
    }
  }

  @Test
  void changes_are_reported_until_the_watch_is_closed() throws IOException {
    String events =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunk(": hello\n\nevent: ready\ndata: {}\n\n")
            + chunk("event: change\ndata: {\"kind\":\"created\",\"path\":\"/a\"}\n\n: tick\n\n");
    try (var server = answering(json(200, BOX), events);
        var cove = connect(server);
        FileWatch watch = cove.sandboxes().require("abc").files().watch("/", true)) {
      assertThat(watch.next()).contains(new FileWatch.Change("created", "/a"));
      Thread.ofVirtual().start(watch::close);
      assertThat(watch.next()).isEmpty();
    }
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  @Test
  void the_environment_wins_over_the_local_server(@TempDir Path home) throws IOException {
    writeLocal(home, "http://127.0.0.1:7171");
    Map<String, String> local = Map.of("COVE_HOME", home.toString());
    assertThat(ServerAddress.find(local))
        .contains(new ServerAddress(URI.create("http://127.0.0.1:7171"), "cove_local"));
    Map<String, String> remote =
        Map.of("COVE_HOME", home.toString(), "COVE_URL", "https://h", "COVE_API_KEY", "k");
    assertThat(ServerAddress.find(remote).map(ServerAddress::url))
        .isEqualTo(Optional.of(URI.create("https://h")));
    assertThatThrownBy(() -> ServerAddress.find(Map.of("COVE_URL", "https://h")))
        .hasMessageContaining("COVE_API_KEY");
  }

  @Test
  void where_no_server_ran_none_is_found(@TempDir Path home) throws IOException {
    Map<String, String> environment = Map.of("COVE_HOME", home.toString());
    assertThat(ServerAddress.find(environment)).isEmpty();
    writeLocal(home, "http://127.0.0.1:7171");
    Files.writeString(home.resolve("run/server.json"), "{\"url\":");
    assertThatThrownBy(() -> ServerAddress.find(environment)).hasMessageContaining("damaged");
  }

  @Test
  void keys_are_never_part_of_a_text() {
    assertThat(new ServerAddress(URI.create("http://h"), "cove_x")).asString().doesNotContain("_x");
    assertThat(new Keys.NewKey("i", "n", Optional.empty(), "cove_x", Instant.EPOCH))
        .asString()
        .doesNotContain("_x");
  }

  private static void writeLocal(Path home, String url) throws IOException {
    Files.createDirectories(home.resolve("run"));
    Files.createDirectories(home.resolve("data"));
    Files.writeString(
        home.resolve("run/server.json"),
        "{\"url\":\"" + url + "\",\"pid\":1,\"version\":\"0.1.0\"}");
    Files.writeString(home.resolve("data/local.key"), "cove_local\n");
  }
}
