package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.security.HostView.HostProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter forgotten on one way in is the usual hole, so each way in is looked at. */
class EveryEntryTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service. */
  private static final long ROOTS_CAPABILITIES = 0x4fb;

  /** What the agent needs beyond that to shed capabilities: setpcap. */
  private static final long AGENTS_CAPABILITIES = ROOTS_CAPABILITIES | 1 << 8;

  private static final long FIRST_ID_OF_SANDBOXES = 65_536;

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Intruder intruder;

  @BeforeAll
  static void start() {
    intruder = Intruder.in(SERVER.cove());
  }

  @AfterAll
  static void end() {
    intruder.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void rights_are_the_same_whichever_way_a_command_comes_in(String user) throws Exception {
    String look =
        "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp):?' /proc/self/status; ulimit -c";
    Map<String, String> seen = throughEveryEntry(user, "sh", "-c", look);

    assertThat(new HashSet<>(seen.values())).as("what the entries show: %s", seen).hasSize(1);
    String status = seen.values().iterator().next();
    String capabilities = user.equals("root") ? "00000000000004fb" : "0000000000000000";
    assertThat(status)
        .contains("CapInh:\t0000000000000000")
        .contains("CapPrm:\t" + capabilities)
        .contains("CapEff:\t" + capabilities)
        .contains("CapBnd:\t" + capabilities)
        .contains("CapAmb:\t0000000000000000")
        .contains("NoNewPrivs:\t1")
        .contains("Seccomp:\t2")
        .endsWith("\n0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void refused_calls_are_the_same_whichever_way_a_command_comes_in(String user) throws Exception {
    Map<String, String> seen = throughEveryEntry(user, intruder.install("syscalls"));

    assertThat(seen).hasSize(5);
    assertThat(new HashSet<>(seen.values())).as("what the entries show: %s", seen).hasSize(1);
    assertThat(seen.values().iterator().next())
        .contains("allowed getpid OK")
        .contains("denied mount EPERM");
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_command_holds_no_descriptor_but_its_three_streams(String user) throws Exception {
    Map<String, String> seen =
        throughEveryEntry(
            user, "python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))");

    // The fourth is the folder that is being listed.
    assertThat(seen.values()).containsOnly("['0', '1', '2', '3']\n");
  }

  private static Map<String, String> throughEveryEntry(String user, String... argv)
      throws IOException, InterruptedException {
    Command command = Command.of(argv).user(user).timeout(PATIENCE);
    var seen = new LinkedHashMap<String, String>();
    seen.put("exec", intruder.box().exec(command).stdout());
    seen.put("events", byEvents(user, argv));
    seen.put("process", byProcess(command));
    seen.put("attach", output(intruder.box().start(command)));
    seen.put("terminal", output(intruder.box().start(command.terminal(50, 200))));
    seen.replaceAll((_, text) -> text.replace("\r\n", "\n"));
    return seen;
  }

  private static String byProcess(Command command) throws IOException {
    ProcessInfo process = intruder.box().spawn(command);
    return output(intruder.box().attach(process.processId()));
  }

  private static String output(RunningCommand command) throws IOException {
    try (command) {
      var out = new ByteArrayOutputStream();
      var err = new ByteArrayOutputStream();
      assertThat(command.copyTo(out, err).exitCode())
          .as(err.toString(StandardCharsets.UTF_8))
          .isZero();
      return out.toString(StandardCharsets.UTF_8);
    }
  }

  private static String byEvents(String user, String... argv)
      throws IOException, InterruptedException {
    String body =
        "{\"command\":[%s],\"user\":\"%s\"}"
            .formatted(
                String.join(",", List.of(argv).stream().map(text -> "\"" + text + "\"").toList()),
                user);
    var client = ApiClient.of(SERVER);
    var answer =
        client.send(
            client
                .request("POST", "/api/v1/sandboxes/" + intruder.id() + "/exec", body)
                .header("Accept", "text/event-stream"));
    assertThat(answer.statusCode()).isEqualTo(200);
    var text = new StringBuilder();
    var data = Pattern.compile("event: stdout\ndata: \\{\"data\":\"(.*)\"}").matcher(answer.body());
    while (data.find()) {
      text.append(data.group(1).replace("\\n", "\n").replace("\\t", "\t"));
    }
    return text.toString();
  }

  @Test
  void from_outside_every_process_is_nobody_with_a_filter_and_few_rights() throws Exception {
    try (var other = Intruder.in(SERVER.cove());
        RunningCommand asUser = intruder.box().start(Command.of("sleep", "60"));
        RunningCommand asRoot = intruder.box().start(Command.of("sleep", "61").user("root"));
        RunningCommand terminal = intruder.box().start(Command.of("sleep", "62").terminal(24, 80));
        RunningCommand next = other.box().start(Command.of("sleep", "63"))) {
      assertThat(List.of(asUser.pid(), asRoot.pid(), terminal.pid(), next.pid()))
          .allMatch(pid -> pid > 1);
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(names(HostView.processesOf(intruder.id())))
                  .filteredOn("sleep"::equals)
                  .hasSize(3));

      List<HostProcess> processes = HostView.processesOf(intruder.id());
      long firstId = firstId(processes.getFirst());
      assertThat(firstId).isGreaterThanOrEqualTo(FIRST_ID_OF_SANDBOXES);
      for (HostProcess process : processes) {
        assertConfined(process, firstId);
      }
      List<HostProcess> neighbours = HostView.processesOf(other.id());
      assertThat(Math.abs(firstId(neighbours.getFirst()) - firstId)).isGreaterThanOrEqualTo(65_536);
    }
  }

  private static void assertConfined(HostProcess process, long firstId) throws IOException {
    String name = process.field("Name");
    for (String ids : List.of("Uid", "Gid")) {
      for (String id : process.field(ids).split("\\s+")) {
        assertThat(Long.parseLong(id))
            .as("%s of %s", ids, name)
            .isBetween(firstId, firstId + 65_535);
      }
    }
    assertThat(firstId(process)).isEqualTo(firstId);
    assertThat(process.field("Seccomp")).as("Seccomp of %s", name).isEqualTo("2");
    assertThat(process.field("NoNewPrivs")).as("NoNewPrivs of %s", name).isEqualTo("1");
    assertThat(process.field("CapInh") + process.field("CapAmb")).matches("0+");
    long most =
        name.equals("sleep")
            ? Long.parseLong(process.field("Uid").split("\\s+")[0]) == firstId
                ? ROOTS_CAPABILITIES
                : 0
            : AGENTS_CAPABILITIES;
    for (String set : List.of("CapEff", "CapPrm", "CapBnd")) {
      assertThat(process.hex(set) & ~most).as("%s of %s beyond its due", set, name).isZero();
    }
    assertThat(process.file("limits")).containsPattern("Max core file size +0 +0 ");
    assertThat(process.file("environ")).doesNotContain("COVE").doesNotContain("cove_");
    for (String target : process.descriptors()) {
      assertThat(target).as("a descriptor of %s", name).matches(HARMLESS);
    }
    for (String namespace : List.of("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")) {
      assertThat(namespace(process, namespace))
          .as("%s namespace of %s", namespace, name)
          .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/" + namespace)));
    }
  }

  private static final Pattern HARMLESS =
      Pattern.compile("/dev/null|/dev/pts/.*|/dev/ptmx|(pipe|socket):\\[\\d+]|anon_inode:.*");

  private static Path namespace(HostProcess process, String name) throws IOException {
    return Files.readSymbolicLink(process.proc().resolve("ns/" + name));
  }

  private static List<String> names(List<HostProcess> processes) {
    var names = new ArrayList<String>();
    processes.forEach(process -> names.add(process.field("Name")));
    return names;
  }

  /** The map has one line: first id inside, first id outside, count. */
  private static long firstId(HostProcess process) throws IOException {
    String[] map = process.file("uid_map").strip().split("\\s+");
    assertThat(map).hasSize(3);
    assertThat(map[0]).isEqualTo("0");
    assertThat(map[2]).isEqualTo("65536");
    return Long.parseLong(map[1]);
  }
}
