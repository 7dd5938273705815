package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking for the host through devices, kernel files, mounts and things left lying about. */
class HostSurfaceTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final Set<String> REFUSED =
      Set.of("ENOENT", "EACCES", "EPERM", "EROFS", "ENXIO", "ENODEV", "EIO", "ENOTDIR");

  private static final List<String> UNREADABLE =
      List.of(
          "/dev/mem",
          "/dev/kmem",
          "/dev/kmsg",
          "/dev/port",
          "/dev/vda",
          "/dev/sda",
          "/dev/loop0",
          "/dev/loop-control",
          "/dev/fuse",
          "/dev/net/tun",
          "/dev/kvm",
          "/dev/vhost-net",
          "/dev/vsock",
          "/dev/console",
          "/dev/tty0",
          "/dev/cpu/0/msr",
          "/proc/kcore",
          "/proc/kallsyms",
          "/proc/keys",
          "/proc/key-users",
          "/proc/kmsg",
          "/proc/timer_list",
          "/proc/sched_debug",
          "/proc/slabinfo",
          "/proc/vmallocinfo",
          "/proc/modules",
          "/proc/kpagecount",
          "/sys/kernel/notes",
          "/sys/class/dmi/id/product_uuid",
          "/sys/kernel/debug/sched",
          "/sys/fs/cgroup/cgroup.procs");

  private static final List<String> UNWRITABLE =
      List.of(
          "/dev/mem",
          "/dev/kmsg",
          "/dev/loop-control",
          "/proc/sysrq-trigger",
          "/proc/sys/kernel/core_pattern",
          "/proc/sys/kernel/modprobe",
          "/proc/sys/kernel/hostname",
          "/proc/sys/kernel/ns_last_pid",
          "/proc/sys/vm/drop_caches",
          "/proc/sys/vm/overcommit_memory",
          "/proc/sys/net/ipv4/ip_forward",
          "/proc/sys/fs/binfmt_misc/register",
          "/proc/irq/default_smp_affinity",
          "/proc/mtrr",
          "/sys/kernel/uevent_helper",
          "/sys/kernel/mm/transparent_hugepage/enabled",
          "/sys/power/state",
          "/sys/fs/cgroup/release_agent",
          "/sys/fs/cgroup/memory/release_agent");

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
  void harmless_devices_open_and_those_of_the_host_do_not(String user) throws Exception {
    var argv = new ArrayList<>(List.of(intruder.install("opens")));
    argv.addAll(List.of("read", "/dev/zero", "write", "/dev/null", "read", "/proc/self/status"));
    UNREADABLE.forEach(path -> argv.addAll(List.of("read", path)));
    UNWRITABLE.forEach(path -> argv.addAll(List.of("write", path)));

    Map<String, String> findings = intruder.findings(user, argv.toArray(String[]::new));

    assertThat(findings)
        .containsEntry("read /dev/zero", "OK")
        .containsEntry("write /dev/null", "OK")
        .containsEntry("read /proc/self/status", "OK");
    for (String path : UNREADABLE) {
      assertThat(findings.get("read " + path))
          .as("reading %s", path)
          .matches(result -> result.equals("EMPTY") || REFUSED.contains(result));
    }
    for (String path : UNWRITABLE) {
      assertThat(REFUSED).as("writing %s", path).contains(findings.get("write " + path));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_device_node_can_neither_be_made_nor_used(String user) {
    assertThat(intruder.shell(user, "mkfifo /tmp/pipe-$$ && rm /tmp/pipe-$$").exitCode()).isZero();

    for (String folder : List.of("/tmp", "/dev/shm", "/home/user")) {
      assertThat(intruder.shell(user, "mknod " + folder + "/mem c 1 1").exitCode()).isNotZero();
      assertThat(intruder.shell(user, "mknod " + folder + "/disk b 254 0").exitCode()).isNotZero();
    }
    assertThat(intruder.shell(user, "touch /dev/new").exitCode()).isNotZero();
  }

  @Test
  void no_mount_honours_set_id_bits_and_only_dev_honours_device_nodes() {
    List<String> mounts = intruder.must("root", "cat /proc/self/mountinfo").lines().toList();

    assertThat(mounts).hasSizeGreaterThan(5);
    for (String mount : mounts) {
      String[] fields = mount.split(" ");
      List<String> options = List.of(fields[5].split(","));
      assertThat(options).as(mount).contains("nosuid");
      if (!fields[4].equals("/dev") && !fields[4].equals("/dev/pts")) {
        assertThat(options.contains("nodev") || fields[4].startsWith("/proc/")).as(mount).isTrue();
      }
      assertThat(mount).doesNotContain(" cgroup ").doesNotContain(" cgroup2 ");
    }
  }

  @Test
  void mounts_tell_nothing_about_where_the_host_keeps_them() {
    assertThat(intruder.must("root", "cat /proc/self/mountinfo /proc/mounts"))
        .doesNotContain(SERVER.home().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void nothing_secret_of_the_host_is_inside(String user) throws IOException {
    String key = SERVER.key();
    intruder.must(user, "echo needle-in-here > /tmp/needle-" + user);
    String search = "grep -rlsF -e '%s' /etc /home /opt /root /run /srv /tmp /var /mnt /media";
    assertThat(intruder.shell(user, search.formatted("needle-in-here")).stdout())
        .contains("/tmp/needle-" + user);

    // The key itself must not be said inside; its second half is as telling.
    String half = key.substring(key.length() / 2);
    assertThat(intruder.shell(user, search.formatted(half)).stdout()).isEmpty();
    String environment = intruder.must(user, "cat /proc/self/environ | tr '\\0' '\\n'");
    assertThat(environment).contains("PATH=").doesNotContain("COVE").doesNotContain(half);
    assertThat(intruder.must(user, "ls -A /home")).isEqualTo("user");
    assertThat(intruder.shell("root", "ls -A /root/.ssh /etc/ssl/private").stdout())
        .doesNotContain("id_")
        .doesNotContain(".key");
    assertThat(intruder.shell("root", "cat /etc/shadow").stdout()).doesNotContain("$");
    String machine = Files.readString(Path.of("/etc/hostname")).strip();
    assertThat(intruder.must(user, "uname -n")).isEqualTo(intruder.id()).isNotEqualTo(machine);
  }

  @Test
  void the_machine_id_is_not_the_hosts() throws IOException {
    Path host = Path.of("/etc/machine-id");
    String inside = intruder.shell("root", "cat /etc/machine-id").stdout().strip();

    assertThat(
            Files.exists(host)
                && Files.readString(host).strip().equals(inside)
                && !inside.isEmpty())
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void only_a_loopback_interface_is_there_and_the_server_is_not_behind_it(String user) {
    assertThat(intruder.must(user, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"))
        .isEqualTo("lo");
    String connect =
        """
        import socket
        own = socket.create_server(("127.0.0.1", 0))
        def reach(name, port):
            try:
                socket.create_connection(("127.0.0.1", port), 2).close()
                print(name, "REACHED")
            except OSError:
                print(name, "NOT")
        reach("own", own.getsockname()[1])
        reach("server", %d)
        """
            .formatted(SERVER.url().getPort());
    assertThat(intruder.findings(user, "python3", "-c", connect))
        .isEqualTo(Map.of("own", "REACHED", "server", "NOT"));
  }

  @Test
  void other_processes_of_the_host_are_not_visible() {
    List<String> pids =
        intruder.must("root", "ls /proc | grep '^[0-9]*$'").lines().sorted().toList();

    assertThat(pids).contains("1").hasSizeLessThan(10);
    assertThat(intruder.must("root", "cat /proc/1/comm")).contains("cove");
  }
}
