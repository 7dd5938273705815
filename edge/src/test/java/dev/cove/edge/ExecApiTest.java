package dev.cove.edge;

import static dev.cove.edge.RunningEdge.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExecApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static String box = "";

  @BeforeAll
  static void createBox() {
    box = EDGE.create("{\"env\":{\"FROM_BOX\":\"box\",\"BOTH\":\"box\"}}");
  }

  private static Answer sh(String script) {
    return sh(script, "");
  }

  private static Answer sh(String script, String more) {
    return EDGE.exec(
        box,
        "{\"command\":[\"sh\",\"-c\","
            + RunningEdge.JSON.writeValueAsString(script)
            + "]"
            + more
            + "}");
  }

  @Test
  void a_command_answers_with_code_and_output() {
    Answer answer = sh("echo out; echo err >&2; exit 3");
    assertThat(answer.status()).isEqualTo(200);
    var json = answer.json();
    assertThat(json.get("exitCode").asInt()).isEqualTo(3);
    assertThat(json.get("stdout").asString()).isEqualTo("out\n");
    assertThat(json.get("stderr").asString()).isEqualTo("err\n");
    assertThat(json.get("timedOut").asBoolean()).isFalse();
    assertThat(json.get("oomKilled").asBoolean()).isFalse();
    assertThat(json.get("stdoutTruncated").asBoolean()).isFalse();
    assertThat(json.has("signal")).isFalse();
  }

  @Test
  void the_request_s_environment_goes_over_the_sandbox_s() {
    Answer answer =
        sh(
            "echo $FROM_BOX $BOTH $OWN; pwd",
            ",\"env\":{\"BOTH\":\"own\",\"OWN\":\"x\"},\"cwd\":\"/tmp\"");
    assertThat(answer.json().get("stdout").asString()).isEqualTo("box own x\n/tmp\n");
  }

  @Test
  void input_arrives_and_ends() {
    assertThat(sh("cat", ",\"stdin\":\"h\\u00e9llo\"").json().get("stdout").asString())
        .isEqualTo("héllo");
    String bytes = Base64.getEncoder().encodeToString(new byte[] {0, (byte) 0xff, 10});
    Answer binary = sh("cat", ",\"stdinBase64\":\"" + bytes + "\",\"encoding\":\"base64\"");
    assertThat(binary.json().get("stdout").asString()).isEqualTo(bytes);
    assertThat(sh("cat").json().get("stdout").asString()).isEmpty();
  }

  @Test
  void a_command_that_ends_by_signal_reports_it() {
    var json = sh("kill -TERM $$").json();
    assertThat(json.get("signal").asString()).isEqualTo("SIGTERM");
    assertThat(json.get("exitCode").asInt()).isEqualTo(143);
  }

  @Test
  void a_command_is_killed_at_its_time_limit() {
    var json = sh("sleep 60", ",\"timeoutMs\":100").json();
    assertThat(json.get("timedOut").asBoolean()).isTrue();
    assertThat(json.get("signal").asString()).isEqualTo("SIGKILL");
    assertThat(json.get("oomKilled").asBoolean()).isFalse();
    assertThat(json.get("durationMs").asLong()).isBetween(90L, 10_000L);
  }

  @Test
  void a_kill_while_the_kernel_counted_one_is_reported_as_out_of_memory() throws Exception {
    Path folder = EDGE.work();
    String script =
        "touch %1$s/up; until [ -e %1$s/go ]; do sleep 0.02; done; kill -9 $$".formatted(folder);
    var answer = CompletableFuture.supplyAsync(() -> sh(script));
    awaitFile(folder.resolve("up"));
    EDGE.node().oomKills.incrementAndGet();
    Files.createFile(folder.resolve("go"));
    assertThat(answer.get(30, TimeUnit.SECONDS).json().get("oomKilled").asBoolean()).isTrue();
    assertThat(sh("kill -9 $$").json().get("oomKilled").asBoolean()).isFalse();
  }

  @Test
  void output_over_the_limit_is_cut_and_the_command_still_ends() {
    var json = sh("head -c 20000000 /dev/zero | tr '\\0' x; echo end >&2").json();
    assertThat(json.get("stdout").asString())
        .hasSize(8 * 1024 * 1024)
        .containsOnlyOnce("x".repeat(8 * 1024 * 1024));
    assertThat(json.get("stdoutTruncated").asBoolean()).isTrue();
    assertThat(json.get("stderr").asString()).isEqualTo("end\n");
    assertThat(json.get("stderrTruncated").asBoolean()).isFalse();
  }

  @Test
  void text_of_any_length_and_alphabet_comes_back_whole() {
    for (int padding = 0; padding < 5; padding++) {
      String text = "x".repeat(padding) + "aé漢😀".repeat(30_000);
      Answer answer =
          EDGE.exec(
              box,
              "{\"command\":[\"cat\"],\"stdin\":"
                  + RunningEdge.JSON.writeValueAsString(text)
                  + "}");
      assertThat(answer.json().get("stdout").asString()).isEqualTo(text);
    }
    assertThat(sh("printf 'a\\377b'").json().get("stdout").asString()).isEqualTo("a\ufffdb");
  }

  @Test
  void what_the_sandbox_refuses_is_422() {
    for (String more :
        new String[] {
          "\"command\":[\"no-such-program\"]",
          "\"command\":[\"true\"],\"cwd\":\"/no/such/folder\"",
          "\"command\":[\"true\"],\"user\":\"no-such-user\""
        }) {
      Answer answer = EDGE.exec(box, "{" + more + "}");
      assertThat(answer.status()).as(more + answer).isEqualTo(422);
      assertThat(answer.code()).isEqualTo("guest_refused");
    }
  }

  @Test
  void what_makes_no_sense_is_400_and_names_the_field() {
    String[][] cases = {
      {"{}", "command"},
      {"{\"command\":[]}", "command"},
      {"{\"command\":[\"\"]}", "command"},
      {"{\"command\":\"true\"}", "command"},
      {"{\"command\":[null]}", "command"},
      {"{\"command\":[1]}", "command"},
      {"{\"command\":[\"a\\u0000b\"]}", "command"},
      {"{\"command\":[\"true\"],\"cwd\":\"relative\"}", "cwd"},
      {"{\"command\":[\"true\"],\"cwd\":\"/a\\u0000\"}", "cwd"},
      {"{\"command\":[\"true\"],\"env\":{\"1A\":\"x\"}}", "env"},
      {"{\"command\":[\"true\"],\"env\":{\"A\":null}}", "env"},
      {"{\"command\":[\"true\"],\"env\":{\"A\":1}}", "env"},
      {"{\"command\":[\"true\"],\"timeoutMs\":0}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"timeoutMs\":-1}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"timeoutMs\":86400001}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"timeoutMs\":1.5}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"timeoutMs\":\"5\"}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"timeoutMs\":99999999999999999999}", "timeoutMs"},
      {"{\"command\":[\"true\"],\"user\":\"a:b\"}", "user"},
      {"{\"command\":[\"true\"],\"stdin\":\"a\",\"stdinBase64\":\"YQ==\"}", "stdin"},
      {"{\"command\":[\"true\"],\"stdinBase64\":\"***\"}", "stdinBase64"},
      {"{\"command\":[\"true\"],\"encoding\":\"latin1\"}", "encoding"},
      {"{\"command\":[\"true\"],\"comand\":1}", "comand"},
      {"{\"command\":[\"true\"],\"command\":[\"id\"]}", "twice"},
    };
    for (String[] each : cases) {
      Answer answer = EDGE.exec(box, each[0]);
      assertThat(answer.status()).as(each[0] + " -> " + answer).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
      assertThat(answer.detail()).as(each[0]).contains(each[1]);
    }
  }
}
