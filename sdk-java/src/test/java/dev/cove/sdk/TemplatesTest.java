package dev.cove.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.transport.ScriptedServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("StringConcatToTextBlock") // the lines end in CR LF
@Timeout(30)
class TemplatesTest {
  private static final String TEMPLATE =
      """
      {"name":"team/web","version":3,"reference":"team/web@3","tags":["latest","v1"],\
      "origin":"a Dockerfile over host","createdAt":"2026-11-16T06:00:00Z","builtIn":false,\
      "base":"host","user":"user","cwd":"/srv","entrypoint":["/srv/start","-v"],\
      "env":{"PORT":"8080"},"start":["daemon"],"ready":["probe"],"layers":2}\
      """;
  private static final String DONE = "event: done\ndata: " + TEMPLATE + "\n\n";
  private static final String STEP =
      "event: step\ndata: {\"number\":1,\"of\":2,\"text\":\"FROM host\",\"cached\":true}\n\n";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> heard = new CopyOnWriteArrayList<>();

  private final BuildListener listener =
      new BuildListener() {
        @Override
        public void step(Step step) {
          heard.add(step.toString());
        }

        @Override
        public void output(String text) {
          heard.add(text);
        }
      };

  /** Answers the one request, whose body is noted however it came. */
  private ScriptedServer answering(String answer) throws IOException {
    return new ScriptedServer(peer -> {
      String head = peer.readHead();
      requests.add(head.lines().findFirst().orElse("").replace(" HTTP/1.1", ""));
      if (head.contains("chunked")) {
        requests.add(chunks(peer.in()));
      } else {
        int at = head.indexOf("Content-Length: ");
        int length = at < 0 ? 0 : Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
        requests.add(new String(peer.in().readNBytes(length), StandardCharsets.UTF_8));
      }
      peer.send(answer);
    });
  }

  private static String chunks(InputStream in) throws IOException {
    var body = new StringBuilder();
    for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
      body.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
      in.skipNBytes(2);
    }
    in.skipNBytes(2);
    return body.toString();
  }

  private static int chunkSize(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      line.append((char) b);
    }
    return Integer.parseInt(line.toString().strip(), 16);
  }

  private static String json(int status, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return "HTTP/1.1 " + status + " X\r\nContent-Length: " + length + "\r\n\r\n" + body;
  }

  private static String events(String text) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + text;
  }

  private static Cove connect(ScriptedServer server) {
    return Cove.connect(server.url(), "cove_key");
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void a_template_is_read_with_all_that_the_server_says_and_written_as_it_was_read()
      throws IOException {
    try (var server = answering(json(200, "{\"items\":[" + TEMPLATE + "]}"));
        var cove = connect(server)) {
      List<Template> all = cove.templates().list();
      assertThat(all).hasSize(1);
      assertThat(all.getFirst().tags()).containsExactly("latest", "v1");
      assertThat(all.getFirst().env()).containsEntry("PORT", "8080");
      assertThat(all.getFirst().toJson()).isEqualTo(TEMPLATE);
      assertThat(requests.getFirst()).isEqualTo("GET /api/v1/templates");
    }
  }

  @Test
  void a_reference_is_one_segment_of_the_path() throws IOException {
    try (var server = answering(json(200, TEMPLATE));
        var cove = connect(server)) {
      cove.templates().require("team/web@3");
    }
    try (var server = answering(json(204, ""));
        var cove = connect(server)) {
      cove.templates().remove("team/web:v 1");
    }
    try (var server = answering(json(200, TEMPLATE));
        var cove = connect(server)) {
      cove.templates().tag("team/web", "../x");
    }
    assertThat(requests)
        .contains(
            "GET /api/v1/templates/team%2Fweb%403",
            "DELETE /api/v1/templates/team%2Fweb%3Av%201",
            "PUT /api/v1/templates/team%2Fweb/tags/..%2Fx");
  }

  @Test
  void what_is_not_there_is_found_empty_and_other_refusals_are_thrown() throws IOException {
    String problem = "{\"status\":%d,\"code\":\"c\",\"detail\":\"D.\"}";
    try (var server = answering(json(404, problem.formatted(404)));
        var cove = connect(server)) {
      assertThat(cove.templates().find("nobody")).isEmpty();
    }
    try (var server = answering(json(400, problem.formatted(400)));
        var cove = connect(server)) {
      assertThatThrownBy(() -> cove.templates().find("No"))
          .isInstanceOf(CoveApiException.class)
          .hasMessage("D.");
    }
  }

  @Test
  void a_build_sends_what_was_said_and_nothing_else() {
    TemplateBuild build =
        TemplateBuild.from("host")
            .name("web")
            .tag("v1")
            .tag("stable")
            .workdir("/srv")
            .setEnv("A", "b")
            .asUser("root")
            .run("make it")
            .exec("ls", "-l")
            .entrypoint("/srv/start")
            .cmd("-v")
            .env("PORT", "1")
            .env("HOST", "h")
            .user("user")
            .cwd("/")
            .start("d")
            .ready("p");
    String text = Json.writeText(build.toJson());
    assertThat(text)
        .isEqualTo(
            """
            {"from":"host","name":"web","tags":["v1","stable"],"steps":[{"workdir":"/srv"},\
            {"env":{"A":"b"}},{"user":"root"},{"run":"make it"},{"exec":["ls","-l"]},\
            {"entrypoint":["/srv/start"]},{"cmd":["-v"]}],"env":{"PORT":"1","HOST":"h"},\
            "user":"user","cwd":"/","start":["d"],"ready":["p"]}\
            """);
  }

  @Test
  void every_source_can_be_said_and_each_method_gives_a_copy() {
    TemplateBuild image = TemplateBuild.fromImage("alpine");
    assertThat(Json.writeText(image.registry("u", "p").argument("A", "1").toJson()))
        .isEqualTo(
            "{\"image\":\"alpine\",\"registry\":{\"username\":\"u\",\"password\":\"p\"},"
                + "\"arguments\":{\"A\":\"1\"}}");
    assertThat(Json.writeText(image.toJson())).isEqualTo("{\"image\":\"alpine\"}");
    assertThat(image.registry("u", "hush")).asString().doesNotContain("hush");
    TemplateBuild debian = TemplateBuild.fromDebian();
    assertThat(
            Json.writeText(
                debian.debianPackage("git").debianSuite("sid").debianPackage("jq").toJson()))
        .isEqualTo("{\"debian\":{\"packages\":[\"git\",\"jq\"],\"suite\":\"sid\"}}");
    assertThat(Json.writeText(debian.toJson())).isEqualTo("{\"debian\":{}}");
    assertThat(Json.writeText(TemplateBuild.fromCheckpoint("c1").toJson()))
        .isEqualTo("{\"checkpoint\":\"c1\"}");
    assertThat(Json.writeText(TemplateBuild.fromDockerfile("FROM host").toJson()))
        .isEqualTo("{\"dockerfile\":\"FROM host\"}");
  }

  @Test
  void a_build_is_told_as_it_goes_and_gives_the_template() throws IOException {
    String output = "event: output\ndata: {\"text\":\"line\\n\"}\n\n";
    String later = "event: weather\ndata: {\"sun\":true}\n\n";
    try (var server = answering(events(": hello\n\n" + STEP + output + later + DONE));
        var cove = connect(server)) {
      Template made = cove.templates().build(TemplateBuild.fromImage("alpine"), listener);
      assertThat(made.reference()).isEqualTo("team/web@3");
      assertThat(heard)
          .containsExactly(new BuildListener.Step(1, 2, "FROM host", true).toString(), "line\n");
      assertThat(requests).containsExactly("POST /api/v1/templates", "{\"image\":\"alpine\"}");
    }
  }

  @Test
  void a_folder_and_an_archive_travel_as_they_come() throws IOException {
    try (var server = answering(events(DONE));
        var cove = connect(server)) {
      cove.templates()
          .buildFromContext(
              bytes("a tar"),
              ContextBuild.named("team/web")
                  .tag("v1")
                  .dockerfile("sub/File")
                  .argument("A", "b=c d")
                  .target("two"),
              BuildListener.silent());
    }
    try (var server = answering(events(DONE));
        var cove = connect(server)) {
      cove.templates().importArchive(bytes("an image"), "web", List.of("a", "b"), listener);
    }
    assertThat(requests)
        .containsExactly(
            "POST /api/v1/templates/from-context?name=team%2Fweb&tag=v1&dockerfile=sub%2FFile"
                + "&argument=A%3Db%3Dc%20d&target=two",
            "a tar", "POST /api/v1/templates/from-archive?name=web&tag=a&tag=b", "an image");
  }

  @Test
  void a_build_that_fails_throws_the_problem() throws IOException {
    String error =
        "event: error\n"
            + "data: {\"status\":422,\"code\":\"guest_refused\",\"detail\":\"Line 2: no.\"}\n\n";
    try (var server = answering(events(STEP + error));
        var cove = connect(server)) {
      assertThatThrownBy(() -> cove.templates().build(TemplateBuild.from("host"), listener))
          .isInstanceOfSatisfying(
              CoveApiException.class,
              refusal -> {
                assertThat(refusal.status()).isEqualTo(422);
                assertThat(refusal.code()).isEqualTo("guest_refused");
                assertThat(refusal).hasMessage("Line 2: no.");
              });
    }
  }

  @Test
  void a_build_that_is_refused_before_it_begins_throws_the_problem() throws IOException {
    try (var server =
            answering(
                json(400, "{\"status\":400,\"code\":\"invalid_request\",\"detail\":\"No.\"}"));
        var cove = connect(server)) {
      assertThatThrownBy(() -> cove.templates().build(TemplateBuild.from("host")))
          .isInstanceOf(CoveApiException.class)
          .hasMessage("No.");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "event: done\ndata: {}\n\n",
        "event: done\ndata: {\"name\":1}\n\n",
        "event: done\ndata: [1]\n\n",
        "event: step\ndata: {\"number\":\"x\"}\n\n",
        "event: step\ndata: {\"number\":99999999999,\"of\":1,\"text\":\"\"}\n\n",
        "event: output\ndata: {\"text\":{}}\n\n",
        "event: output\ndata: {\"text\":\"cut o",
        "event: error\ndata: {\"status\":\"x\"}\n\n",
        "event: error\ndata: <html>\n\n",
        "<html>hello</html>\n\n"
      })
  void an_answer_of_another_shape_is_a_connection_failure_not_a_crash(String text)
      throws IOException {
    try (var server = answering(events(text));
        var cove = connect(server)) {
      assertThatThrownBy(() -> cove.templates().build(TemplateBuild.from("host"), listener))
          .isInstanceOf(CoveConnectionException.class);
    }
  }

  @Test
  void an_event_without_end_is_not_kept() throws IOException {
    String line = "data: " + "x".repeat(1000) + "\n";
    for (String endless : List.of(line.repeat(1100), "x".repeat(EventReader.MAX_EVENT + 1))) {
      try (var server = answering(events(endless));
          var cove = connect(server)) {
        assertThatThrownBy(() -> cove.templates().build(TemplateBuild.from("host"), listener))
            .isInstanceOf(CoveConnectionException.class)
            .hasMessageContaining("too long");
      }
    }
  }

  @Test
  void an_event_at_the_limit_is_read() throws IOException {
    String text = "x".repeat(EventReader.MAX_EVENT - "data: {\"text\":\"\"}".length());
    String output = "event: output\ndata: {\"text\":\"" + text + "\"}\n\n";
    try (var server = answering(events(output + DONE));
        var cove = connect(server)) {
      cove.templates().build(TemplateBuild.from("host"), listener);
      assertThat(heard).containsExactly(text);
    }
  }

  @Test
  void a_listener_that_throws_ends_the_connection() throws Exception {
    BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              peer.send(events(STEP));
              peer.readToEnd();
              ends.add("end");
            });
        var cove = connect(server)) {
      var enough =
          new BuildListener() {
            @Override
            public void step(Step step) {
              throw new IllegalStateException("enough");
            }

            @Override
            public void output(String text) {}
          };
      assertThatThrownBy(() -> cove.templates().build(TemplateBuild.from("host"), enough))
          .hasMessage("enough");
      assertThat(ends.poll(20, TimeUnit.SECONDS)).isEqualTo("end");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "alpine,docker.io/library/alpine:latest",
    "alpine:3.22,docker.io/library/alpine:3.22",
    "team/web,docker.io/team/web:latest",
    "docker.io/alpine,docker.io/library/alpine:latest",
    "ghcr.io/a/b:c,ghcr.io/a/b:c",
    "localhost/x,localhost/x:latest",
    "registry:5000/x,registry:5000/x:latest",
    "registry:5000/x:y,registry:5000/x:y",
    "alpine@sha256:ab,docker.io/library/alpine:sha256-ab",
    "alpine:3@sha256:ab,docker.io/library/alpine:sha256-ab"
  })
  void an_image_is_looked_for_by_the_name_that_the_server_gives_it(String image, String template) {
    assertThat(ImageName.toTemplate(image)).isEqualTo(template);
  }

  @Test
  void a_sandbox_can_be_asked_for_by_image_and_run_without_a_command() {
    assertThat(Json.writeText(CreateOptions.defaults().image("alpine").toJson()))
        .isEqualTo("{\"image\":\"alpine\"}");
    assertThat(CreateOptions.defaults().image("alpine").mayBuild()).isTrue();
    assertThat(CreateOptions.defaults().template("debian").mayBuild()).isTrue();
    assertThat(CreateOptions.defaults().template("host").mayBuild()).isFalse();
    assertThat(Json.writeText(Command.entrypoint().user("root").toJson().build()))
        .isEqualTo("{\"user\":\"root\"}");
    assertThatThrownBy(() -> Command.of(List.of())).hasMessageContaining("program");
  }

  @Test
  void a_change_of_another_shape_is_a_connection_failure() throws IOException {
    String text = "event: ready\ndata: {}\n\nevent: change\ndata: {\"kind\":1}\n\n";
    try (var server = answering(events(text));
        var api = new Api(server.url(), "k", Optional.empty());
        FileWatch watch = new SandboxFiles(api, "/x", "").watch("/", false)) {
      assertThatThrownBy(watch::next).isInstanceOf(CoveConnectionException.class);
    }
  }
}
