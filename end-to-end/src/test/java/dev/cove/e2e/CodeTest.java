package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CodeContext;
import dev.cove.sdk.CodeFailure;
import dev.cove.sdk.CodeListener;
import dev.cove.sdk.CodeResult;
import dev.cove.sdk.CodeRun;
import dev.cove.sdk.CodeValue;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxCode;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

/** Code in contexts that remember, by the interpreter inside. */
class CodeTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static TemplateCalls templates;
  private static Sandbox box;

  @BeforeAll
  static void create() throws Exception {
    templates = new TemplateCalls(server);
    InterpreterTemplate.make(templates);
    box = fresh();
  }

  @AfterAll
  static void remove() throws Exception {
    box.close();
    templates.removeAll();
    templates.close();
  }

  private static Sandbox fresh() {
    return server.create(CreateOptions.defaults().template(InterpreterTemplate.NAME));
  }

  private static CodeResult python(String code) {
    return box.runCode("python", code);
  }

  @Test
  void the_value_of_the_last_expression_is_the_result() {
    CodeResult result = python("print('hello')\n1 + 1");
    assertThat(result.text()).contains("2");
    assertThat(result.stdout()).isEqualTo("hello\n");
    assertThat(result.failure()).isEmpty();
  }

  @Test
  void a_context_remembers_and_another_knows_nothing_of_it() {
    SandboxCode code = box.code();
    CodeContext one = code.createContext("python");
    CodeContext other = code.createContext("python", "/tmp");
    assertThat(code.run(CodeRun.in(one, "x = 41")).executionCount()).isEqualTo(1);
    CodeResult second = code.run(CodeRun.in(one, "x + 1"));
    assertThat(second.text()).contains("42");
    assertThat(second.executionCount()).isEqualTo(2);
    assertThat(code.run(CodeRun.in(other, "x")).failure().orElseThrow().name())
        .isEqualTo("NameError");
    assertThat(code.run(CodeRun.in(other, "import os; os.getcwd()")).text()).contains("/tmp");
    code.restart(one.id());
    assertThat(code.run(CodeRun.in(one, "x")).failure()).isPresent();
    code.remove(one.id());
    code.remove(other.id());
    assertThat(code.contexts()).doesNotContain(one, other);
    assertRefused(404, "not_found", () -> code.run(CodeRun.in(one, "1")));
  }

  @Test
  void each_language_remembers_in_its_own_way() {
    box.runCode("javascript", "const a = 20; let b = 1");
    assertThat(box.runCode("javascript", "await Promise.resolve(a * 2 + b)").text()).contains("41");
    assertThat(box.runCode("js", "throw new TypeError('no')").failure().orElseThrow())
        .extracting(CodeFailure::name, CodeFailure::value)
        .containsExactly("TypeError", "no");
    box.runCode("bash", "cd /usr; X=kept");
    assertThat(box.runCode("bash", "echo $X in $PWD").stdout()).isEqualTo("kept in /usr\n");
    assertThat(box.runCode("bash", "(exit 7)").failure().orElseThrow().value()).isEqualTo("7");
  }

  @Test
  void what_is_printed_comes_while_the_code_runs() throws Exception {
    var first = new CountDownLatch(1);
    var heard = new ArrayList<String>();
    String wait =
        """
        import os, time
        print("one", flush=True)
        while not os.path.exists("/tmp/go-on"): time.sleep(0.01)
        import sys; print("two", file=sys.stderr)
        """;
    Thread other =
        Thread.ofVirtual()
            .start(() -> {
              awaitQuietly(first);
              box.files().write("/tmp/go-on", "");
            });
    box.code()
        .run(
            CodeRun.of("python", wait),
            new CodeListener() {
              @Override
              public void stdout(String text) {
                heard.add(text);
                first.countDown();
              }

              @Override
              public void stderr(String text) {
                heard.add(text);
              }
            });
    other.join();
    assertThat(String.join("", heard)).isEqualTo("one\ntwo\n");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void a_failure_has_its_traceback_and_what_was_said_before_it_counts() {
    CodeResult result = python("def f():\n    return 1 / 0\nkept = 5\nf()");
    assertThat(result.failure().orElseThrow().traceback())
        .contains("line 2, in f")
        .contains("return 1 / 0")
        .doesNotContain("cove_interpreter");
    assertThat(python("kept").text()).contains("5");
  }

  @Test
  void variables_are_for_one_run() {
    var run = CodeRun.of("python", "import os; os.environ.get('TOKEN')").env("TOKEN", "for once");
    assertThat(box.code().run(run).text()).contains("for once");
    assertThat(python("import os; os.environ.get('TOKEN')").text()).isEmpty();
  }

  @Test
  void rich_values_are_shown_in_all_their_ways() {
    CodeResult result =
        python(
            """
            class Rich:
                def _repr_html_(self): return "<b>x</b>"
                def _repr_json_(self): return {"a": [1]}
                def _repr_png_(self): return b"png"
                def __repr__(self): return "rich"
            display(Rich())
            Rich()
            """);
    assertThat(result.values()).extracting(CodeValue::main).containsExactly(false, true);
    assertThat(result.values().getFirst().shown())
        .containsEntry("html", "<b>x</b>")
        .containsEntry("json", "{\"a\":[1]}")
        .containsEntry("png", "cG5n")
        .containsEntry("text", "rich");
  }

  @Test
  void code_that_takes_too_long_is_interrupted_and_its_context_stays() {
    python("before = 1");
    var run = CodeRun.of("python", "import time; time.sleep(600)").timeout(Duration.ofMillis(300));
    assertThat(box.code().run(run).failure().orElseThrow().name()).isEqualTo("ExecutionTimeout");
    assertThat(python("before").text()).contains("1");
  }

  @Test
  void code_that_heeds_no_interrupt_is_ended() {
    CodeContext deaf = box.code().createContext("python");
    String code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass";
    CodeResult result = box.code().run(CodeRun.in(deaf, code).timeout(Duration.ofMillis(200)));
    assertThat(result.failure().orElseThrow().name()).isEqualTo("ExecutionTimeout");
    assertThat(box.code().run(CodeRun.in(deaf, "3")).text()).contains("3");
    box.code().remove(deaf.id());
  }

  @Test
  void whoever_leaves_interrupts_the_code() throws Exception {
    String code =
        "import time\ntry:\n  open('/tmp/began', 'w')\n  time.sleep(600)\nfinally:\n"
            + "  open('/tmp/interrupted', 'w')";
    try (var api = new RawApi(server)) {
      String body = JsonMapper.shared().writeValueAsString(Map.of("code", code));
      try (var _ = api.events("/api/v1/sandboxes/" + box.id() + "/code", body)) {
        awaitFile("/tmp/began");
      }
    }
    awaitFile("/tmp/interrupted");
    assertThat(python("'free again'").text()).contains("free again");
  }

  private static void awaitFile(String path) {
    Awaitility.await(path)
        .atMost(PATIENCE)
        .until(() -> box.exec("test", "-e", path).exitCode() == 0);
  }

  @Test
  void huge_output_is_cut_and_said_to_be() {
    CodeResult result = python("import sys\nfor _ in range(40): sys.stdout.write('x' * (1 << 20))");
    assertThat(result.stdout().length()).isBetween(32 << 20, 33 << 20);
    assertThat(result.stderr()).contains("the rest is left out");
    assertThat(python("'x' * (20 << 20)").text().orElseThrow()).contains("too large to be shown");
  }

  @Test
  void after_a_fork_bomb_code_runs_again() {
    try (Sandbox victim =
        server.create( // few: it should not take the machine from the other tests
            CreateOptions.defaults().template(InterpreterTemplate.NAME).maxProcesses(64))) {
      String bomb =
          "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.05)";
      var run = CodeRun.of("python", bomb).timeout(Duration.ofSeconds(2));
      try {
        assertThat(victim.code().run(run).failure()).isPresent();
      } catch (CoveException e) {
        assertThat(e).as("the bomb took the interpreter with it").hasMessageContaining("broke off");
      }
      Awaitility.await("code to run again")
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> victim.runCode("python", "6 * 7").text().equals(Optional.of("42")));
    }
  }

  @Test
  void code_that_ends_its_process_says_so_and_the_next_begins_anew() {
    CodeResult result = box.runCode("python", "import os; os._exit(3)");
    assertThat(result.failure().orElseThrow().name()).isEqualTo("KernelEnded");
    assertThat(python("1 + 2").text()).contains("3");
  }

  @Test
  void an_interpreter_that_was_killed_is_started_again() {
    try (Sandbox victim = fresh()) {
      assertThat(victim.runCode("python", "1").text()).contains("1");
      victim.exec("sh", "-c", "kill -9 $(pgrep -f cove-interpreter)");
      Awaitility.await("a new one")
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> victim.runCode("python", "2").text().equals(Optional.of("2")));
    }
  }

  @Test
  void a_sandbox_without_it_says_what_to_do() {
    try (Sandbox plain = server.create()) {
      assertRefused(409, "conflict", () -> plain.runCode("python", "1"));
    }
  }

  @Test
  void what_makes_no_sense_is_refused() throws Exception {
    assertRefused(400, "invalid_request", () -> box.runCode("cobol", "1"));
    assertRefused(
        400, "invalid_request", () -> box.code().createContext("python", "/no/such/folder"));
    assertRefused(404, "not_found", () -> box.code().remove("../../health"));
    assertRefused(404, "not_found", () -> box.code().restart("0-0"));
    try (var api = new RawApi(server)) {
      String path = "/api/v1/sandboxes/" + box.id() + "/code";
      for (String body :
          List.of(
              "{", "{}", "{\"code\":1}", "{\"code\":\"1\",\"language\":\"r\",\"context\":\"1\"}")) {
        HttpResponse<String> reply = api.post(path, body);
        assertThat(reply.statusCode()).as(body).isEqualTo(400);
      }
      String long1 = "{\"code\":\"" + "x".repeat(2 << 20) + "\"}";
      assertThat(api.post(path, long1).statusCode()).isEqualTo(413);
      HttpResponse<String> whole = api.post(path, "{\"code\":\"6*7\"}");
      assertThat(whole.body()).contains("\"results\":[{\"main\":true,\"text\":\"42\"}]");
    }
  }

  @Test
  void contexts_are_bounded() {
    try (Sandbox crowded = fresh()) {
      int there = crowded.code().contexts().size();
      for (int i = there; i < 64; i++) {
        crowded.code().createContext("python");
      }
      assertRefused(429, "too_many_requests", () -> crowded.code().createContext("python"));
    }
  }

  private static Cli.Outcome piped(String input, String... args) throws Exception {
    byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
    return Cli.of(server).pipe(new ByteArrayInputStream(bytes), args);
  }

  @Test
  void the_command_line_runs_files_and_its_input() throws Exception {
    assertThat(piped("y = 20", "code", box.id(), "-").succeeded().stdout()).isEmpty();
    assertThat(piped("y + 1", "code", box.id(), "-").succeeded().stdout()).isEqualTo("21\n");
    assertThat(piped("echo hi", "code", "--language", "bash", box.id(), "-").stdout())
        .isEqualTo("hi\n");
    var failed = piped("1/0", "code", box.id(), "-");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.stderr()).contains("ZeroDivisionError");
    assertThat(Cli.of(server).run("code", box.id(), "/no/such/file.py").exitCode()).isEqualTo(1);
  }
}
