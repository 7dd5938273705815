package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.ExecResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asking the kernel for what a sandbox may not have. */
class SystemCallAttacksTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  /** What each kind of attempt may answer. */
  private static final Map<String, Set<String>> EXPECTED =
      Map.of(
          "allowed", Set.of("OK"),
          "denied", Set.of("EPERM", "ENOSYS"),
          "absent", Set.of("ENOSYS"),
          "family", Set.of("EAFNOSUPPORT", "EPERM"),
          "killed", Set.of("SIGSYS"));

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
  void ordinary_calls_work_and_every_dangerous_one_is_refused(String user) throws Exception {
    Map<String, String> findings = intruder.findings(user, intruder.install("syscalls"));

    assertThat(findings).hasSizeGreaterThan(100);
    assertThat(findings)
        .allSatisfy((attempt, result) -> {
          String kind = attempt.substring(0, attempt.indexOf(' '));
          assertThat(EXPECTED.getOrDefault(kind, Set.of())).as(attempt).contains(result);
        });
    intruder.assertUsable();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_32_bit_program_is_killed_at_its_first_call(String user) throws Exception {
    String twin = intruder.install("opens");
    assertThat(intruder.run(user, twin, "read", "/dev/zero").stdout()).contains("OK");

    String program = intruder.put("abi32", HostileProgram.compile32("abi32"));
    ExecResult result = intruder.run(user, program);

    assertThat(result.exit().signal()).contains("SIGSYS");
    intruder.assertUsable();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void real_time_priority_and_negative_niceness_are_refused(String user) {
    assertThat(intruder.run(user, "nice", "-n", "5", "true").exitCode()).isZero();

    String asks =
        """
        import os
        def ask(name, call):
            try:
                call()
                print(name, "OK")
            except PermissionError:
                print(name, "EPERM")
        ask("batch", lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
        ask("fifo", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
        ask("round-robin", lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(99)))
        ask("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
        """;
    assertThat(intruder.findings(user, "python3", "-c", asks))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("batch", "OK", "fifo", "EPERM", "round-robin", "EPERM", "nice", "EPERM"));
  }

  @Test
  void a_set_id_program_gives_no_more_rights() {
    intruder.must("root", "cp /usr/bin/id /opt/id && chmod 6755 /opt/id");
    assertThat(intruder.must("root", "stat -c %a /opt/id")).isEqualTo("6755");

    assertThat(intruder.must("user", "/opt/id -u; /opt/id -g")).isEqualTo("1000\n1000");
    assertThat(intruder.must("user", "grep NoNewPrivs /proc/self/status")).endsWith("1");
  }

  @Test
  void random_calls_from_four_processes_leave_the_server_and_others_alone() throws Exception {
    String fuzzer = intruder.install("fuzz");
    try (var victim = Intruder.in(SERVER.cove());
        var bystander = Bystander.in(SERVER.cove());
        var canary = HostCanary.plant()) {
      victim.put("fuzz", HostileProgram.compile("fuzz"));
      bystander.unharmedBy(() -> {
        for (String seed : List.of("1", "20261115")) {
          ExecResult result = victim.run("user", fuzzer, "5", "4", seed);
          assertThat(result.stdout()).matches("calls [1-9][0-9]{3,}\n");
        }
      });
      canary.assertUntouched();
      // The victim may be in any state, but it can be removed: closing it says so.
    }
    assertThat(SERVER.cove().healthy()).isTrue();
  }
}
