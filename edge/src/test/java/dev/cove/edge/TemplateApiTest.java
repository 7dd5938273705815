package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What can be said of templates on a host that cannot seal; real builds are tested end to end. */
class TemplateApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static final String ALL = "/api/v1/templates";
  private static final int BLOCK = 512;

  private static Answer make(String body) {
    return EDGE.post(ALL, body);
  }

  private static Answer send(String target, byte[] body) {
    return EDGE.send(target, request -> request.POST(BodyPublishers.ofByteArray(body)));
  }

  /** One file as ustar. */
  private static byte[] tar(String name, String text) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    byte[] tar = new byte[BLOCK * (4 + content.length / BLOCK)];
    put(tar, 0, name);
    put(tar, 100, "0000644\0");
    put(tar, 108, "0000000\0");
    put(tar, 116, "0000000\0");
    put(tar, 124, "%011o\0".formatted(content.length));
    put(tar, 136, "00000000000\0");
    put(tar, 148, "        0");
    put(tar, 257, "ustar\00000");
    int sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      sum += tar[i];
    }
    put(tar, 148, String.format(Locale.ROOT, "%06o\0 ", sum));
    System.arraycopy(content, 0, tar, BLOCK, content.length);
    return tar;
  }

  private static void put(byte[] tar, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, tar, at, bytes.length);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  @Test
  void host_is_always_there() {
    JsonNode first = EDGE.get(ALL).json().get("items").get(0);
    assertThat(first.get("reference").asString()).isEqualTo("host@1");
    assertThat(first.get("builtIn").asBoolean()).isTrue();
    for (String reference : new String[] {"host", "host:latest", "host@1"}) {
      assertThat(EDGE.get(ALL + "/" + reference).json()).isEqualTo(first);
    }
  }

  @Test
  void host_can_be_neither_removed_nor_tagged_nor_made() {
    assertThat(EDGE.delete(ALL + "/host").status()).isEqualTo(409);
    assertThat(EDGE.put(ALL + "/host/tags/mine", new byte[0]).status()).isEqualTo(409);
    assertThat(make("{\"name\":\"host\",\"from\":\"host\"}").status()).isEqualTo(400);
    assertThat(EDGE.get(ALL + "/host").status()).isEqualTo(200);
  }

  @Test
  void what_is_not_there_is_not_found() {
    assertThat(EDGE.get(ALL + "/nobody").status()).isEqualTo(404);
    assertThat(EDGE.get(ALL + "/nobody").detail()).contains("cove template ls");
    assertThat(EDGE.get(ALL + "/docker.io%2Flibrary%2Fnobody:1").status()).isEqualTo(404);
    assertThat(EDGE.delete(ALL + "/nobody").status()).isEqualTo(404);
    assertThat(EDGE.delete(ALL + "/nobody@1").status()).isEqualTo(404);
    assertThat(EDGE.put(ALL + "/nobody/tags/t", new byte[0]).status()).isEqualTo(404);
    assertThat(EDGE.post("/api/v1/sandboxes", "{\"template\":\"nobody\"}").status()).isEqualTo(404);
    assertThat(make("{\"name\":\"a\",\"checkpoint\":\"c0123456789abcdefghi\"}").status())
        .isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Upper", "-a", "a..b", "a@", "a@x", "a@1@2", "a:", "a:.b", "a%20b", "%2Fa", "a%2F"
      })
  void a_name_that_none_can_have_is_refused(String reference) {
    for (Answer answer :
        new Answer[] {
          EDGE.get(ALL + "/" + reference),
          EDGE.delete(ALL + "/" + reference),
          EDGE.put(ALL + "/" + reference + "/tags/t", new byte[0])
        }) {
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"name\":\"a\"}",
        "{\"name\":\"a\",\"image\":\"b\",\"from\":\"host\"}",
        "{\"name\":\"a\",\"from\":\"host\",\"checkpoint\":\"c\"}"
      })
  void a_template_is_made_of_exactly_one_thing(String body) {
    Answer answer = make(body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.detail()).contains("exactly one of");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{\"from\":\"host\"}",
        "{\"name\":\"a\",\"from\":\"host\",\"steps\":[{}]}",
        "{\"image\":\"a\",\"steps\":[{\"run\":\"true\"}]}",
        "{\"name\":\"a\",\"from\":\"host\",\"steps\":[null]}",
        "{\"name\":\"a\",\"from\":\"host\",\"steps\":[{\"run\":\"x\",\"user\":\"y\"}]}",
        "{\"name\":\"a\",\"from\":\"host\",\"ready\":[\"true\"]}",
        "{\"name\":\"a\",\"from\":\"host\",\"tags\":[\"no tag\"]}",
        "{\"name\":\"a\",\"from\":\"host\",\"tags\":[null]}",
        "{\"name\":\"A\",\"from\":\"host\"}",
        "{\"name\":\"a\",\"from\":\"No Such Image\"}",
        "{\"name\":\"a\",\"dockerfile\":\"\"}",
        "{\"name\":\"a\",\"dockerfile\":\"RUN true\"}",
        "{\"name\":\"a\",\"image\":\"No Image\"}",
        "{\"image\":\"a\",\"registry\":{\"username\":\"u\"}}",
        "{\"name\":\"a\",\"debian\":{\"suite\":\"../etc\"}}",
        "{\"name\":\"a\",\"from\":\"host\",\"colour\":\"red\"}"
      })
  void a_body_that_makes_no_sense_is_refused_and_makes_nothing(String body) {
    int before = EDGE.get(ALL).json().get("items").size();
    Answer answer = make(body);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(answer.detail()).isNotBlank();
    assertThat(EDGE.get(ALL).json().get("items").size()).isEqualTo(before);
  }

  @Test
  void what_its_source_would_ignore_is_refused() {
    String registry = "\"registry\":{\"username\":\"u\",\"password\":\"p\"}";
    for (String source :
        new String[] {"\"debian\":{}", "\"checkpoint\":\"c0123456789abcdefghi\""}) {
      Answer answer = make("{\"name\":\"a\"," + source + "," + registry + "}");
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      assertThat(answer.detail()).contains("registry goes with");
    }
    for (String source :
        new String[] {
          "\"debian\":{}",
          "\"checkpoint\":\"c0123456789abcdefghi\"",
          "\"image\":\"localhost:1/a\"",
          "\"from\":\"host\""
        }) {
      Answer answer = make("{\"name\":\"a\"," + source + ",\"arguments\":{\"A\":\"b\"}}");
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
      assertThat(answer.detail()).contains("arguments go with dockerfile");
    }
  }

  @Test
  void a_dockerfile_is_refused_by_line() {
    Answer answer = make("{\"name\":\"a\",\"dockerfile\":\"FROM host\\nENV A=b\\nFRY x\"}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.detail()).contains("Line 3");
  }

  @Test
  void one_step_too_many_is_refused() {
    String steps = ",{\"user\":\"root\"}".repeat(1_001).substring(1);
    Answer answer = make("{\"name\":\"a\",\"from\":\"host\",\"steps\":[" + steps + "]}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.detail()).contains("1000");
  }

  @Test
  void settings_alone_make_a_template_that_can_be_used_tagged_and_removed() {
    Answer made =
        make(
            "{\"name\":\"team/set\",\"tags\":[\"v1\"],\"from\":\"host\",\"env\":{\"GREETING\":\"hi\"},"
                + "\"steps\":[{\"entrypoint\":[\"sh\",\"-c\",\"echo $GREETING\"]}],\"cwd\":\"/\"}");
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    String one = ALL + "/team%2Fset";
    assertThat(EDGE.get(one).status()).isEqualTo(404);
    assertThat(EDGE.get(one + ":v1").json()).isEqualTo(made.json());
    assertThat(EDGE.put(one + "@1/tags/stable", new byte[0]).json().get("tags"))
        .hasToString("[\"stable\",\"v1\"]");
    String box = EDGE.create("{\"template\":\"team/set:v1\"}");
    assertThat(EDGE.exec(box, "{}").json().get("stdout").asString()).isEqualTo("hi\n");
    assertThat(EDGE.delete(one + ":stable").status()).isEqualTo(204);
    assertThat(EDGE.get(one + "@1").json().get("tags")).hasToString("[\"v1\"]");
    assertThat(EDGE.delete(one).status()).isEqualTo(204);
    assertThat(EDGE.get(one + "@1").status()).isEqualTo(404);
    assertThat(EDGE.exec(box, "{}").json().get("exitCode").asInt()).isZero();
  }

  @Test
  void without_an_entrypoint_a_command_must_be_given() {
    Answer answer = EDGE.exec(EDGE.create(), "{}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.detail()).contains("command");
  }

  @Test
  void template_image_and_checkpoint_exclude_each_other() {
    String all = "/api/v1/sandboxes";
    assertThat(EDGE.post(all, "{\"template\":\"host\",\"image\":\"a\"}").detail())
        .contains("not both");
    assertThat(EDGE.post(all, "{\"checkpoint\":\"c\",\"image\":\"a\"}").status()).isEqualTo(400);
    assertThat(EDGE.post(all, "{\"image\":\"No Image\"}").status()).isEqualTo(400);
    assertThat(EDGE.post(all, "{\"template\":\"\"}").status()).isEqualTo(400);
  }

  @Test
  void a_context_needs_a_name_a_dockerfile_and_arguments_with_values() throws IOException {
    String target = ALL + "/from-context";
    byte[] context = tar("Dockerfile", "FROM host AS one\nARG A\nENV B=$A\n");
    assertThat(send(target, context).detail()).contains("name");
    assertThat(send(target + "?name=a&argument=A", context).detail()).contains("NAME=value");
    assertThat(send(target + "?name=a&colour=red", context).status()).isEqualTo(400);
    assertThat(send(target + "?name=a&target=two", context).detail()).contains("two");
    assertThat(send(target + "?name=a&dockerfile=Other", context).detail()).contains("Other");
    for (byte[] bad :
        new byte[][] {
          new byte[0],
          "no archive at all".getBytes(StandardCharsets.UTF_8),
          gzip("no archive at all".getBytes(StandardCharsets.UTF_8)),
          tar("file", "text")
        }) {
      Answer answer = send(target + "?name=a", bad);
      assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    }
    assertThat(EDGE.get(ALL + "/a").status()).isEqualTo(404);
  }

  @Test
  void a_context_is_built_packed_or_not() throws IOException {
    byte[] context = tar("sub/Dockerfile", "FROM host\nARG A=c\nENV B=$A\n");
    String target = ALL + "/from-context?dockerfile=sub/Dockerfile&argument=A%3D1%3D2&name=";
    for (Answer made :
        new Answer[] {send(target + "plain", context), send(target + "packed", gzip(context))}) {
      assertThat(made.status()).as(made.toString()).isEqualTo(201);
      assertThat(made.json().get("env").get("B").asString()).isEqualTo("1=2");
      assertThat(EDGE.delete(ALL + "/" + made.json().get("name").asString()).status())
          .isEqualTo(204);
    }
  }

  @Test
  void an_archive_that_holds_no_image_is_refused() throws IOException {
    String target = ALL + "/from-archive";
    assertThat(send(target, new byte[BLOCK]).detail()).contains("name");
    for (byte[] bad :
        new byte[][] {
          new byte[0],
          "no archive".getBytes(StandardCharsets.UTF_8),
          tar("file", "text"),
          gzip(tar("manifest.json", "[]")),
          tar("index.json", "{}")
        }) {
      Answer answer = send(target + "?name=a", bad);
      assertThat(answer.status()).as(answer.toString()).isIn(400, 422);
      assertThat(answer.detail()).isNotBlank();
    }
    assertThat(EDGE.get(ALL + "/a").status()).isEqualTo(404);
  }

  @Test
  void events_tell_each_step_and_end_with_the_template_or_the_problem() throws IOException {
    String body = "{\"name\":\"told\",\"dockerfile\":\"FROM host\\nENV A=b\"}";
    try (var events = new EventReader(EDGE, "POST", ALL, body)) {
      var from = events.next();
      assertThat(from.name()).isEqualTo("step");
      assertThat(from.data())
          .hasToString("{\"number\":1,\"of\":2,\"text\":\"FROM host\",\"cached\":false}");
      assertThat(events.next().data().get("text").asString()).isEqualTo("ENV A=b");
      var done = events.next();
      assertThat(done.name()).isEqualTo("done");
      assertThat(done.data().get("reference").asString()).isEqualTo("told@1");
      assertThat(events.isAtEnd()).isTrue();
    }
    assertThat(EDGE.delete(ALL + "/told").status()).isEqualTo(204);
    try (var events = new EventReader(EDGE, "POST", ALL, body.replace("told", "Told"))) {
      var error = events.next();
      assertThat(error.name()).isEqualTo("error");
      assertThat(error.data().get("status").asInt()).isEqualTo(400);
      assertThat(events.isAtEnd()).isTrue();
    }
  }

  @Test
  void a_key_is_needed() {
    var request = HttpRequest.newBuilder(EDGE.uri(ALL)).build();
    assertThat(EDGE.raw(request).statusCode()).isEqualTo(401);
  }
}
