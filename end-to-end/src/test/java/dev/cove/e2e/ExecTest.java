package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ExecTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() {
    box = server.create();
  }

  @AfterAll
  static void delete() {
    box.close();
  }

  @Test
  void output_and_errors_come_apart_and_the_exit_code_is_the_commands_own() {
    ExecResult result = box.exec("sh", "-c", "echo out; echo err >&2; exit 42");
    assertThat(result.stdout()).isEqualTo("out\n");
    assertThat(result.stderr()).isEqualTo("err\n");
    assertThat(result.exitCode()).isEqualTo(42);
    assertThat(result.exit().signal()).isEmpty();
    assertThat(result.exit().timedOut()).isFalse();
    assertThat(result.truncated()).isFalse();
  }

  @Test
  void arguments_arrive_as_they_are() {
    assertThat(box.exec("printf", "%s|", "two words", "", "$HOME", "*", "ü\n'\"\\").stdout())
        .isEqualTo("two words||$HOME|*|ü\n'\"\\|");
  }

  @Test
  void a_command_that_ends_by_signal_reports_it() {
    ExecResult result = box.exec("sh", "-c", "kill -TERM $$");
    assertThat(result.exit().signal()).isEqualTo(Optional.of("SIGTERM"));
    assertThat(result.exitCode()).isEqualTo(143);
  }

  @Test
  void variables_and_the_folder_are_those_asked_for() {
    Command command = Command.shell("echo $COLOUR; pwd").env("COLOUR", "sea green").cwd("/var/tmp");
    assertThat(box.exec(command).stdout()).isEqualTo("sea green\n/var/tmp\n");
  }

  @Test
  void a_command_runs_as_the_user_asked_for_by_name_or_number() {
    Command whoAmI = Command.shell("id -u; id -g; echo $HOME");
    assertThat(box.exec(whoAmI).stdout()).isEqualTo("1000\n1000\n/home/user\n");
    assertThat(box.exec(whoAmI.user("user")).stdout()).isEqualTo("1000\n1000\n/home/user\n");
    assertThat(box.exec(whoAmI.user("root")).stdout()).isEqualTo("0\n0\n/root\n");
    assertThat(box.exec(whoAmI.user("0")).stdout()).startsWith("0\n0\n");
    assertThat(box.exec(whoAmI.user("4321")).stdout()).startsWith("4321\n");
  }

  @Test
  void what_cannot_be_run_is_refused_with_a_reason() {
    assertRefused(422, "guest_refused", () -> box.exec("/no/such/program"));
    assertRefused(422, "guest_refused", () -> box.exec("/etc/passwd"));
    assertRefused(422, "guest_refused", () -> box.exec(Command.of("true").cwd("/no/such/folder")));
    assertRefused(422, "guest_refused", () -> box.exec(Command.of("true").user("nobody-we-know")));
  }

  @Test
  void input_is_passed_on_and_ends() {
    assertThat(box.exec(Command.of("wc", "-c"), new byte[12_345]).stdout().strip())
        .isEqualTo("12345");
    assertThat(box.exec("cat").stdout()).as("no input is an empty input").isEmpty();
  }

  @Test
  void a_command_may_answer_while_its_input_is_open_and_learns_of_its_end() throws IOException {
    try (RunningCommand cat = box.start(Command.of("cat").openStdin())) {
      cat.stdin().write("first".getBytes(StandardCharsets.UTF_8));
      assertThat(cat.stdout().readNBytes(5)).asString().isEqualTo("first");
      assertThat(cat.waitFor(Duration.ofMillis(50))).isEmpty();
      cat.stdin().write("second".getBytes(StandardCharsets.UTF_8));
      cat.stdin().close();
      assertThat(cat.stdout().readAllBytes()).asString().isEqualTo("second");
      assertThat(cat.waitFor().exitCode()).isZero();
    }
  }

  @Test
  void fifty_megabytes_go_in_and_come_back_unchanged() throws Exception {
    long size = 50L << 20;
    try (RunningCommand cat = box.start(Command.of("cat").openStdin())) {
      Thread writer =
          Thread.startVirtualThread(() -> {
            try (var stdin = cat.stdin()) {
              SampleBytes.of(size).transferTo(stdin);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      String back = SampleBytes.checksum(cat.stdout());
      writer.join();
      assertThat(back).isEqualTo(SampleBytes.checksum(SampleBytes.of(size)));
      assertThat(cat.waitFor().exitCode()).isZero();
    }
  }

  @Test
  void binary_output_is_not_changed() {
    byte[] bytes = SampleBytes.array(300_000);
    assertThat(box.exec(Command.of("cat"), bytes).stdoutBytes()).isEqualTo(bytes);
  }

  @Test
  void collected_output_is_cut_at_eight_megabytes_and_says_so() {
    ExecResult result = box.exec("sh", "-c", "head -c 20M /dev/zero; echo done >&2");
    assertThat(result.truncated()).isTrue();
    assertThat(result.stdoutBytes()).hasSize(8 << 20);
    assertThat(result.stderr()).isEqualTo("done\n");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void a_command_whose_time_is_up_is_killed_with_all_that_it_started() {
    Command slow = Command.shell("sleep 4711 & sleep 4711; echo never");
    long start = System.nanoTime();
    ExecResult result = box.exec(slow.timeout(Duration.ofMillis(400)));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    assertThat(result.exit().timedOut()).isTrue();
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.stdout()).isEmpty();
    Awaitility.await("its children to be gone").until(() -> countProcesses("sleep 4711") == 0);
  }

  @Test
  void a_background_child_does_not_delay_the_end_of_a_command() {
    long start = System.nanoTime();
    ExecResult result = box.exec("sh", "-c", "sleep 120 & echo done");
    assertThat(result.stdout()).isEqualTo("done\n");
    assertThat(result.exitCode()).isZero();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void two_hundred_commands_at_once_each_get_their_own_output() throws Exception {
    List<String> answers =
        AtOnce.times(
            200,
            i -> {
              byte[] input = ("from " + i + "\n").getBytes(StandardCharsets.UTF_8);
              return box.exec(Command.shell("read x; echo $x " + i), input).stdout();
            });
    for (int i = 0; i < 200; i++) {
      assertThat(answers.get(i)).isEqualTo("from " + i + " " + i + "\n");
    }
  }

  @Test
  void events_come_while_the_command_runs() throws Exception {
    try (var api = new RawApi(server)) {
      String script =
          "echo first; while ! [ -e /tmp/go ]; do sleep 0.02; done; echo oops >&2; exit 3";
      String body =
          JsonMapper.shared().writeValueAsString(Map.of("command", List.of("sh", "-c", script)));
      try (var reader =
          new BufferedReader(
              new InputStreamReader(
                  api.events("/api/v1/sandboxes/" + box.id() + "/exec", body),
                  StandardCharsets.UTF_8))) {
        Event start = Event.read(reader);
        assertThat(start.name).isEqualTo("start");
        assertThat(start.data.path("pid").asInt()).isPositive();
        Event first = Event.read(reader);
        assertThat(first.name).isEqualTo("stdout");
        assertThat(first.data.path("data").asString()).isEqualTo("first\n");
        box.files().write("/tmp/go", "");
        List<Event> rest = new ArrayList<>(List.of(Event.read(reader), Event.read(reader)));
        assertThat(rest).extracting(event -> event.name).containsExactly("stderr", "exit");
        assertThat(rest.getFirst().data.path("data").asString()).isEqualTo("oops\n");
        assertThat(rest.getLast().data.path("exitCode").asInt()).isEqualTo(3);
        assertThat(reader.readLine()).as("nothing follows the exit").isNull();
      }
    }
  }

  @Test
  void a_command_whose_client_has_gone_is_killed() throws Exception {
    try (var api = new RawApi(server)) {
      String body = "{\"command\":[\"sh\",\"-c\",\"echo up; exec sleep 4712\"]}";
      try (var events = api.events("/api/v1/sandboxes/" + box.id() + "/exec", body)) {
        assertThat(events.readNBytes(20)).isNotEmpty();
        Awaitility.await("the command to run").until(() -> countProcesses("sleep 4712") == 1);
      }
    }
    Awaitility.await("the command to be killed")
        .atMost(Duration.ofSeconds(30))
        .until(() -> countProcesses("sleep 4712") == 0);
  }

  private static long countProcesses(String commandLine) {
    // Not the shell's own command line, which holds the pattern too.
    String list = "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2>/dev/null";
    return box.exec("sh", "-c", list)
        .stdout()
        .lines()
        .filter(line -> line.strip().equals(commandLine))
        .count();
  }

  private record Event(String name, JsonNode data) {
    static Event read(BufferedReader reader) throws IOException {
      String name = "";
      String data = "";
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith("event:")) {
          name = line.substring("event:".length()).strip();
        } else if (line.startsWith("data:")) {
          data = line.substring("data:".length()).strip();
        } else if (line.isEmpty() && !name.isEmpty()) {
          return new Event(name, JsonMapper.shared().readTree(data));
        }
      }
      throw new IOException("The events ended early");
    }
  }
}
