package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Templates that are made step by step, from a Dockerfile, a list of steps or a checkpoint. */
class BuildsTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();
  private static TemplateCalls templates;

  @BeforeAll
  static void open() {
    templates = new TemplateCalls(server);
  }

  @AfterEach
  void removeTemplates() throws Exception {
    templates.removeAll();
  }

  @AfterAll
  static void close() {
    templates.close();
  }

  private static Sandbox create(String template) {
    return server.cove().sandboxes().create(CreateOptions.defaults().template(template));
  }

  @Test
  void a_dockerfile_with_stages_gives_what_its_last_one_holds() throws Exception {
    var files =
        new TestImage.Layer()
            .file(
                "Dockerfile",
                """
                ARG WORD=default
                FROM host AS maker
                ARG WORD
                USER root
                WORKDIR /work
                COPY src/ in/
                RUN cat in/*.txt > out && echo "$WORD" >> out && mkdir -p deep/er && cp out deep/er/x.log
                FROM host
                USER root
                ENV WHERE=/data
                WORKDIR $WHERE
                COPY --from=maker /work/out result
                COPY --from=maker --chown=user:user /work/deep/ ./tree/
                COPY --from=maker /work/deep/er/*.log ./
                COPY --chown=1000 --chmod=600 src/a.txt /data/private
                RUN test ! -e /work && ls > listed
                USER user
                CMD ["cat", "/data/result"]
                """)
            .file("src/a.txt", "one\n")
            .file("src/b.txt", "two\n")
            .file("src/ignored.txt", "never\n")
            .file(".dockerignore", "src/ignored.txt\n");
    HttpResponse<String> reply =
        templates.fromContext("name=staged&tag=v1&argument=WORD=given", files);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
    try (Sandbox box = create("staged:v1")) {
      assertThat(
              RawApi.parse(templates.api().post("/api/v1/sandboxes/" + box.id() + "/exec", "{}"))
                  .get("stdout")
                  .asString())
          .isEqualTo("one\ntwo\ngiven\n");
      assertThat(
              box.exec(Command.shell("id -un; pwd; stat -c '%U %a' private tree; ls tree"))
                  .stdout())
          .isEqualTo("user\n/data\nuser 600\nroot 755\ner\n");
      assertThat(box.files().readString("/data/x.log")).isEqualTo("one\ntwo\ngiven\n");
    }
  }

  @Test
  void a_step_that_was_done_before_is_not_done_again() throws Exception {
    Map<String, Object> wish =
        Map.of(
            "name",
            "cached",
            "from",
            "host",
            "steps",
            List.of(
                Map.of("user", "root"),
                Map.of("run", "date +%s%N > /stamp"),
                Map.of("run", "cp /stamp /copy")));
    String first = templates.makeWithEvents(wish);
    String second = templates.makeWithEvents(wish);
    assertThat(first).contains("event: done").doesNotContain("\"cached\":true");
    assertThat(second).contains("event: done").contains("\"cached\":true");
    try (Sandbox one = create("cached@1");
        Sandbox two = create("cached@2")) {
      assertThat(two.files().readString("/copy")).isEqualTo(one.files().readString("/stamp"));
    }
  }

  @Test
  void steps_whose_variables_only_look_alike_are_different_steps() throws Exception {
    List<Map<String, String>> variables =
        List.of(Map.of("A", "1, B=2"), Map.of("A", "1", "B", "2"));
    for (Map<String, String> env : variables) {
      templates.make(
          Map.of(
              "name",
              "alike",
              "from",
              "host",
              "steps",
              List.of(Map.of("env", env), Map.of("run", "echo \"$A;$B\" > /home/user/variables"))));
    }
    try (Sandbox one = create("alike@1");
        Sandbox two = create("alike@2")) {
      assertThat(one.files().readString("/home/user/variables")).isEqualTo("1, B=2;\n");
      assertThat(two.files().readString("/home/user/variables")).isEqualTo("1;2\n");
    }
  }

  @Test
  void pruning_forgets_what_steps_gave_and_spares_templates() throws Exception {
    Map<String, Object> wish =
        Map.of("name", "pruned", "from", "host", "steps", List.of(Map.of("run", "date > when")));
    templates.make(wish);
    server.cove().prune();
    try (Sandbox box = create("pruned")) {
      assertThat(box.files().exists("/home/user/when")).isTrue();
    }
    assertThat(templates.makeWithEvents(wish)).doesNotContain("\"cached\":true");
  }

  @Test
  void pruning_takes_nothing_from_a_build_that_goes_on() throws Exception {
    String dockerfile =
        """
        FROM host AS maker
        RUN echo made > /home/user/made
        FROM host
        RUN echo begun; sleep 4
        COPY --from=maker /home/user/made /home/user/copied
        """;
    String wish =
        JsonMapper.shared().writeValueAsString(Map.of("name", "spared", "dockerfile", dockerfile));
    try (InputStream events = templates.api().events(TemplateCalls.ALL, wish)) {
      readUntil(events, "begun\\n");
      server.cove().prune();
      readUntil(events, "event: done");
    }
    try (Sandbox box = create("spared")) {
      assertThat(box.files().readString("/home/user/copied")).isEqualTo("made\n");
    }
  }

  private static void readUntil(InputStream events, String awaited) throws IOException {
    var seen = new StringBuilder();
    byte[] buffer = new byte[4096];
    while (!seen.toString().contains(awaited)) {
      int read = events.read(buffer);
      assertThat(read).as(seen.toString()).isPositive();
      seen.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
    }
  }

  @Test
  void a_step_that_fails_is_named_with_its_line_and_leaves_no_template() throws Exception {
    var files =
        new TestImage.Layer()
            .file("Dockerfile", "FROM host\n\n# fine\nRUN true\nRUN echo because >&2; exit 7\n");
    HttpResponse<String> reply = templates.fromContext("name=failing", files);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
    assertThat(RawApi.parse(reply).get("detail").asString())
        .contains("Line 5")
        .contains("exit code 7");
    assertThat(templates.api().get(TemplateCalls.path("failing")).statusCode()).isEqualTo(404);
    HttpResponse<String> missing =
        templates.fromContext(
            "name=failing",
            new TestImage.Layer().file("Dockerfile", "FROM host\nCOPY nothing /there\n"));
    assertThat(missing.statusCode()).isEqualTo(400);
    assertThat(missing.body()).contains("Line 2").contains("nothing");
  }

  @Test
  void a_pattern_over_too_many_files_is_refused_rather_than_half_done() throws Exception {
    String dockerfile =
        """
        FROM host AS maker
        RUN mkdir /home/user/many && cd /home/user/many && seq 10001 | xargs touch
        FROM host
        COPY --from=maker /home/user/many/%s /home/user/copied/
        """;
    HttpResponse<String> refused =
        templates.tryToMake(Map.of("name", "many", "dockerfile", dockerfile.formatted("1*")));
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains("Line 4").contains("/home/user/many").contains("10000");
    templates.make(Map.of("name", "many", "dockerfile", dockerfile.formatted("")));
    try (Sandbox box = create("many")) {
      assertThat(box.exec(Command.shell("ls copied | wc -l")).stdout()).isEqualTo("10001\n");
    }
  }

  @Test
  void a_build_whose_caller_goes_away_ends_at_once() throws Exception {
    int before = sandboxesOnHost();
    try (InputStream events =
        templates
            .api()
            .events(
                TemplateCalls.ALL,
                """
                {"name":"endless","from":"host","steps":[{"run":"echo begun; sleep 600"}]}
                """)) {
      readUntil(events, "begun\\n");
      assertThat(sandboxesOnHost()).isGreaterThan(before);
    }
    Awaitility.await("the workplace to go")
        .atMost(Duration.ofSeconds(30))
        .until(() -> sandboxesOnHost() <= before);
    assertThat(templates.api().get(TemplateCalls.path("endless")).statusCode()).isEqualTo(404);
  }

  private static int sandboxesOnHost() throws Exception {
    return RawApi.parse(templates.api().get("/api/v1/system")).path("sandboxes").asInt();
  }

  @Test
  void a_service_is_up_before_its_owner_gets_the_sandbox() throws Exception {
    templates.make(
        Map.of(
            "name",
            "service",
            "from",
            "host",
            "start",
            List.of("sh", "-c", "sleep 0.5; echo up > /home/user/up; sleep 600"),
            "ready",
            List.of("test", "-e", "/home/user/up")));
    try (Sandbox box = create("service")) {
      assertThat(box.files().readString("/home/user/up")).isEqualTo("up\n");
      assertThat(box.processes()).hasSize(1);
    }
    HttpResponse<String> never =
        templates.tryToMake(
            Map.of(
                "name",
                "never",
                "from",
                "host",
                "start",
                List.of("true"),
                "ready",
                List.of("false")));
    assertThat(never.statusCode()).as(never.body()).isEqualTo(422);
    assertThat(never.body()).contains("start command ended");
  }

  @Test
  void a_checkpoint_becomes_a_template_without_its_owners_variables() throws Exception {
    Checkpoint checkpoint;
    try (Sandbox box =
        server.cove().sandboxes().create(CreateOptions.defaults().env("TOKEN", "private"))) {
      box.files().write("/home/user/prepared", "yes");
      checkpoint = box.checkpoint();
    }
    JsonNode made = templates.make(Map.of("name", "promoted", "checkpoint", checkpoint.id()));
    server.cove().checkpoints().delete(checkpoint.id());
    assertThat(made.toString()).doesNotContain("private");
    try (Sandbox box = create("promoted")) {
      assertThat(box.files().readString("/home/user/prepared")).isEqualTo("yes");
      assertThat(box.exec(Command.shell("echo \"[$TOKEN]\"")).stdout()).isEqualTo("[]\n");
    }
  }

  @Test
  void a_service_can_be_made_of_a_checkpoint() throws Exception {
    Checkpoint checkpoint;
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/serve", "echo begun >> /home/user/starts; sleep 600\n");
      checkpoint = box.checkpoint();
    }
    try {
      Map<String, Object> wish =
          Map.of(
              "name",
              "serving",
              "checkpoint",
              checkpoint.id(),
              "env",
              Map.of("NEEDED", "yes"),
              "start",
              List.of("sh", "/home/user/serve"),
              "ready",
              List.of("sh", "-c", "test -e /home/user/starts && test \"$NEEDED\" = yes"));
      templates.make(wish);
      try (Sandbox box = create("serving")) {
        assertThat(box.files().readString("/home/user/starts"))
            .as("it ran before the template was made")
            .startsWith("begun\n");
        assertThat(box.processes()).hasSize(1);
      }
      var failing = new HashMap<>(wish);
      failing.put("name", "broken");
      failing.put("start", List.of("false"));
      HttpResponse<String> refused = templates.tryToMake(failing);
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
      assertThat(refused.body()).contains("start command ended");
      assertThat(templates.api().get(TemplateCalls.path("broken")).statusCode()).isEqualTo(404);
    } finally {
      server.cove().checkpoints().delete(checkpoint.id());
    }
  }

  @Test
  void versions_stay_and_tags_move() throws Exception {
    for (String word : List.of("one", "two")) {
      templates.make(
          Map.of(
              "name",
              "numbered",
              "tags",
              List.of("latest", word),
              "from",
              "host",
              "steps",
              List.of(Map.of("run", "echo " + word + " > /home/user/word"))));
    }
    assertThat(word("numbered")).isEqualTo("two\n");
    assertThat(word("numbered@1")).isEqualTo("one\n");
    assertThat(word("numbered:one")).isEqualTo("one\n");
    templates.api().send("PUT", TemplateCalls.path("numbered@1") + "/tags/latest");
    assertThat(word("numbered")).isEqualTo("one\n");
    try (Sandbox box = create("numbered:two")) {
      assertThat(templates.api().send("DELETE", TemplateCalls.path("numbered")).statusCode())
          .isEqualTo(204);
      assertThat(box.files().readString("/home/user/word")).isEqualTo("two\n");
      assertThat(templates.api().get(TemplateCalls.path("numbered@1")).statusCode()).isEqualTo(404);
    }
  }

  private static String word(String template) {
    try (Sandbox box = create(template)) {
      return box.files().readString("/home/user/word");
    }
  }

  @Test
  void a_template_that_is_not_there_makes_no_sandbox() throws Exception {
    int before = server.cove().sandboxes().list().size();
    HttpResponse<String> reply =
        templates.api().post("/api/v1/sandboxes", "{\"template\":\"missing:v9\"}");
    assertThat(reply.statusCode()).isEqualTo(404);
    assertThat(reply.body()).contains("missing:v9").contains("cove template");
    assertThat(server.cove().sandboxes().list()).hasSize(before);
  }
}
