package dev.cove.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Machines that are made of files. */
class DoctorMainTest {
  @TempDir Path root;
  @TempDir Path home;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** One on which nothing is missing. */
  @BeforeEach
  void describe() throws IOException {
    write("proc/sys/kernel/osrelease", "6.8.0-generic");
    write("proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff");
    write(
        "proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate");
    write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids");
    write("proc/sys/user/max_user_namespaces", "127000");
    write("proc/self/ns/user", "");
    write("proc/filesystems", "nodev\toverlay");
    write("proc/sys/kernel/seccomp/actions_avail", "kill_process kill_thread trap errno allow");
    write("proc/sys/kernel/core_pattern", "core");
    write("proc/sys/kernel/unprivileged_bpf_disabled", "2");
    write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority");
    write("dev/loop-control", "");
    for (String kind : List.of("pid", "mnt", "net", "ipc", "uts", "cgroup")) {
      write("proc/sys/user/max_" + kind + "_namespaces", "127000");
    }
    write(
        "proc/self/limits",
        "Max open files            524288               524288               files");
    write("proc/sys/kernel/pid_max", "4194304");
    write("proc/sys/kernel/pty/max", "4096");
    write("proc/sys/kernel/kptr_restrict", "1");
    write("proc/sys/vm/overcommit_memory", "0");
  }

  @Test
  void a_machine_that_lacks_nothing_can_promise_everything() {
    assertThat(doctor("--promise", "container,disk-limits,network")).isZero();
    assertThat(text(out))
        .contains("it can promise container, disk-limits, network")
        .doesNotContain("missing ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "proc/sys/kernel/osrelease | 5.15.0-1 | kernel | 5.19 or newer",
        "proc/self/status | Uid: 1000 | root | as root",
        "proc/self/mountinfo | none | cgroups | mount it under",
        "proc/sys/user/max_user_namespaces | 0 | user namespaces | user.max_user_namespaces",
        "proc/filesystems | ext4 | overlay | modprobe overlay",
        "proc/sys/kernel/seccomp/actions_avail | allow | seccomp | CONFIG_SECCOMP",
        "proc/sys/user/max_net_namespaces | 0 | namespaces | user.max_net_namespaces=0",
      })
  void what_no_sandbox_can_do_without_makes_it_fail_and_is_named_with_its_remedy(
      String file, String content, String subject, String remedy) throws IOException {
    write(file, content);
    assertThat(doctor("--json")).isEqualTo(1);
    JsonNode report = json();
    assertThat(report.get("usable").asBoolean()).isFalse();
    assertThat(report.get("offers")).isEmpty();
    assertFinding(report, "missing", subject, remedy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "proc/sys/kernel/core_pattern | '|/usr/bin/crash %p' | core_pattern | kernel.core_pattern=core",
        "proc/sys/kernel/unprivileged_bpf_disabled | 0 | unprivileged bpf | unprivileged_bpf_disabled=2",
        "proc/sys/kernel/kptr_restrict | 0 | kernel addresses | kptr_restrict=1",
        "proc/sys/vm/overcommit_memory | 2 | overcommit | vm.overcommit_memory=0",
        "proc/sys/kernel/pid_max | 4096 | processes | kernel.pid_max",
        "proc/sys/kernel/pty/max | 64 | terminals | kernel.pty.max",
        "proc/sys/user/max_mnt_namespaces | 100 | namespaces | user.max_mnt_namespaces=100",
        "proc/self/limits | 'Max open files            1024                 4096                 files' | open files | LimitNOFILE",
      })
  void what_makes_it_weaker_is_a_warning_and_no_failure(
      String file, String content, String subject, String remedy) throws IOException {
    write(file, content);
    assertThat(doctor("--json")).isZero();
    assertFinding(json(), "warning", subject, remedy);
  }

  @Test
  void a_promise_that_cannot_be_kept_makes_it_fail() throws IOException {
    Files.delete(root.resolve("dev/loop-control"));
    assertThat(doctor()).isZero();
    assertThat(doctor("--promise", "container,disk-limits")).isEqualTo(1);
    assertThat(text(out)).contains("Promised, but not to be had here: disk-limits.");
    assertThat(run(Map.of("COVE_PROMISED", "disk-limits"), "--json")).isEqualTo(1);
    assertThat(json().get("broken").get(0).asString()).isEqualTo("disk-limits");
    assertThat(run(Map.of("COVE_PROMISED", "container"))).isZero();
  }

  @Test
  void what_makes_no_sense_is_refused_by_name() {
    assertThat(doctor("--promise", "moon")).isEqualTo(2);
    assertThat(text(err)).contains("Nobody can promise moon").contains("container");
    assertThat(doctor("--promise")).isEqualTo(2);
    assertThat(doctor("--what")).isEqualTo(2);
    assertThat(text(err)).contains("--what");
  }

  private static void assertFinding(
      JsonNode report, String severity, String subject, String remedy) {
    var found = new ArrayList<String>();
    for (JsonNode finding : report.get("findings")) {
      if (finding.get("subject").asString().equals(subject)) {
        found.add(finding.get("severity").asString() + " " + finding.get("detail").asString());
      }
    }
    assertThat(found)
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith(severity).contains(remedy));
  }

  private int doctor(String... arguments) {
    return run(Map.of(), arguments);
  }

  private int run(Map<String, String> environment, String... arguments) {
    out.reset();
    err.reset();
    var all = new ArrayList<>(List.of(arguments));
    all.addAll(0, List.of("--root", root.toString(), "--home", home.toString()));
    return DoctorMain.run(
        all,
        environment,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private JsonNode json() {
    return JsonMapper.shared().readTree(text(out));
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  private void write(String file, String content) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content + "\n");
  }
}
