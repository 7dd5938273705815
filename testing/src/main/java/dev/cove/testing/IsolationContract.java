package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a sandbox sees of itself, of its neighbours and of the host. */
abstract class IsolationContract extends EngineContract {
  private static final List<String> NAMESPACES =
      List.of("pid", "ipc", "uts", "net", "mnt", "cgroup", "user");

  @SuppressWarnings("NullAway.Init")
  private Box box;

  @SuppressWarnings("NullAway.Init")
  private Box neighbour;

  @BeforeAll
  void start() throws Exception {
    box = box();
    neighbour = box();
  }

  @AfterAll
  void stop() {
    box.close();
    neighbour.close();
  }

  @Test
  void each_sandbox_has_namespaces_of_its_own() throws Exception {
    for (String name : NAMESPACES) {
      String link = "readlink /proc/self/ns/" + name;
      String own = box.user(link);
      assertThat(own).startsWith(name);
      assertThat(own).isNotEqualTo(neighbour.user(link));
      assertThat(own)
          .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns", name)).toString());
    }
  }

  @Test
  void the_host_name_is_the_id_and_resolves() {
    String id = box.cage().id().value();
    assertThat(box.user("hostname; cat /etc/hostname")).isEqualTo(id + "\n" + id);
    assertThat(box.user("getent hosts " + id)).startsWith("127.0.1.1");
    assertThat(box.user("getent hosts localhost")).contains("localhost");
  }

  @Test
  void each_sandbox_is_another_machine() {
    String machine = box.user("cat /etc/machine-id");
    assertThat(machine).matches("[0-9a-f]{32}");
    assertThat(neighbour.user("cat /etc/machine-id")).isNotEqualTo(machine);
  }

  @Test
  void every_process_of_a_sandbox_has_ids_that_are_its_own_and_a_filter() throws Exception {
    var ownIds = uidRange(box);
    assertThat(ownIds).doesNotContainAnyElementsOf(uidRange(neighbour));
    var processes = HostTraces.processesOf(box.cage().id().value());
    assertThat(processes).isNotEmpty();
    for (Path process : processes) {
      for (String id : HostTraces.field(process, "Uid").split("\\s+")) {
        assertThat(Long.parseLong(id)).isBetween(ownIds.getFirst(), ownIds.getFirst() + 65_535);
      }
      assertThat(HostTraces.field(process, "NoNewPrivs")).isEqualTo("1");
      assertThat(HostTraces.field(process, "Seccomp")).isEqualTo("2");
      assertThat(Files.readString(process.resolve("limits")))
          .containsPattern("Max core file size\\s+0\\s+0\\s");
    }
  }

  /** The first host id, for comparison with others. */
  private static List<Long> uidRange(Box box) {
    String[] map = box.user("cat /proc/self/uid_map").split("\\s+");
    assertThat(map).hasSize(3);
    assertThat(map[0]).isEqualTo("0");
    assertThat(map[2]).isEqualTo("65536");
    return List.of(Long.parseLong(map[1]));
  }

  @Test
  void the_default_user_has_no_capability_and_cannot_get_one() {
    assertThat(box.user("id -u")).isEqualTo("1000");
    for (String line : box.user("grep ^Cap /proc/self/status").split("\n")) {
      assertThat(line).endsWith("\t0000000000000000");
    }
  }

  @Test
  void root_inside_has_what_a_package_manager_needs_and_no_more() {
    assertThat(box.root("grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status"))
        .isEqualTo(
            "CapPrm:\t00000000000004fb\nCapEff:\t00000000000004fb\nCapBnd:\t00000000000004fb");
  }

  @Test
  void root_inside_owns_no_namespace_but_its_ids() {
    // A uts namespace of its own would let it change the host name, a net namespace its sysctls.
    assertThat(box.run("root", "hostname other").exit().code()).isNotZero();
    assertThat(box.run("root", "echo 1 > /proc/sys/net/ipv4/ip_forward").exit().code()).isNotZero();
  }

  @Test
  void a_set_user_id_program_gives_nothing() {
    box.root("cp /usr/bin/id /tmp/set-id && chmod 4755 /tmp/set-id");
    assertThat(box.user("/tmp/set-id -u")).isEqualTo("1000");
  }

  @Test
  void files_of_the_host_are_not_there() throws Exception {
    Path canary = Files.writeString(folder.resolve("canary"), "host");
    assertThat(box.run("root", "cat " + canary).exit().code()).isNotZero();
    assertThat(box.root("ls /"))
        .isEqualTo(
            "bin\ndev\netc\nhome\nlib\nlib64\nopt\nproc\nroot\nrun\nsbin\nsys\ntmp\nusr\nvar");
    assertThat(box.root("ls /proc/self/root/..")).doesNotContain("canary");
  }

  @Test
  void writes_stay_in_the_sandbox() {
    String name = "/usr/bin/cove-test-" + box.cage().id();
    box.root("echo own > %s && rm /usr/bin/factor".formatted(name));
    assertThat(Path.of(name)).doesNotExist();
    assertThat(Path.of("/usr/bin/factor")).exists();
    assertThat(neighbour.root("ls /usr/bin/factor; ls /usr/bin | grep -c cove-test- || true"))
        .isEqualTo("/usr/bin/factor\n0");
  }

  @Test
  void processes_of_others_are_not_seen() throws Exception {
    long host = ProcessHandle.current().pid();
    assertThat(box.root("cat /proc/1/comm")).contains("cove");
    assertThat(box.root("ls /proc | grep -c '^[0-9]'").length()).isEqualTo(1);
    assertThat(box.run("root", "kill -0 " + host).exit().code()).isNotZero();
  }

  @Test
  void the_agent_cannot_be_read_or_killed_from_inside() {
    for (String user : List.of("user", "root")) {
      assertThat(box.run(user, "cat /proc/1/environ").exit().code()).isNotZero();
      assertThat(box.run(user, "head -c 1 /proc/1/mem").exit().code()).isNotZero();
      assertThat(box.run(user, "readlink /proc/1/fd/3").exit().code()).isNotZero();
    }
    box.run("user", "kill -9 1");
    box.run("root", "kill -9 1");
    assertThat(box.user("echo alive")).isEqualTo("alive");
  }

  @Test
  void the_agent_holds_no_file_of_the_host() throws Exception {
    Path agent = Path.of("/proc", Long.toString(HostTraces.agentOf(box.cage().id().value())));
    try (var descriptors = Files.newDirectoryStream(agent.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        assertThat(Files.readSymbolicLink(descriptor).toString())
            .matches("/dev/null|socket:.*|anon_inode:.*|pipe:.*");
      }
    }
  }

  @Test
  void ipc_objects_do_not_cross() {
    box.user("ipcmk -Q");
    assertThat(box.user("ipcs -q | grep -c 0x")).isEqualTo("1");
    assertThat(neighbour.user("ipcs -q | grep -c 0x || true")).isEqualTo("0");
  }

  @Test
  void the_network_is_a_loopback() {
    assertThat(box.user("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).isEqualTo("lo");
  }

  @Test
  void dev_holds_what_programs_need() {
    assertThat(box.user("ls /dev"))
        .isEqualTo(
            "cove\nfd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero");
    assertThat(box.user("head -c 4 /dev/zero | wc -c; echo x > /dev/null; echo y > /dev/shm/y"))
        .isEqualTo("4");
    assertThat(box.run("root", "touch /dev/new").exit().code()).isNotZero();
    assertThat(box.run("root", "rm /dev/null").exit().code()).isNotZero();
  }

  @Test
  void proc_hides_the_host_and_sets_nothing() {
    for (String name : List.of("keys", "key-users", "kallsyms", "timer_list", "interrupts")) {
      assertThat(box.root("test ! -e /proc/%1$s || wc -c < /proc/%1$s".formatted(name)))
          .isIn("", "0");
    }
    assertThat(box.root("cat /proc/acpi/* 2>/dev/null || true")).isEmpty();
    for (String name :
        List.of("sys/kernel/core_pattern", "sys/kernel/hostname", "sys/vm/swappiness")) {
      assertThat(box.run("root", "echo x > /proc/" + name).output()).contains("Read-only");
    }
    assertThat(box.run("root", "echo b > /proc/sysrq-trigger").exit().code()).isNotZero();
    assertThat(box.user("test -r /proc/cpuinfo && test -r /proc/meminfo && echo readable"))
        .isEqualTo("readable");
  }

  @Test
  void sys_is_empty_and_fixed() {
    assertThat(box.root("ls -A /sys")).isEmpty();
    assertThat(box.run("root", "touch /sys/x").output()).contains("Read-only");
  }

  @Test
  void no_mount_honours_set_id_or_device_files() {
    var lax = new ArrayList<String>();
    for (String line : box.user("cat /proc/self/mounts").split("\n")) {
      String[] words = line.split(" ");
      var options = Arrays.asList(words[3].split(","));
      boolean devices = words[1].equals("/dev") || words[1].equals("/dev/pts");
      if (!options.contains("nosuid") || (!devices && !options.contains("nodev"))) {
        lax.add(line);
      }
    }
    assertThat(lax).isEmpty();
  }

  @Test
  void commands_inherit_nothing_but_their_streams() {
    assertThat(box.user("ls /proc/self/fd | wc -l")).isEqualTo("4"); // 0, 1, 2 and ls's own
    assertThat(box.user("env | cut -d= -f1 | sort | tr '\\n' ' '").strip())
        .isEqualTo("HOME LOGNAME PATH PWD SHELL TERM USER");
  }
}
