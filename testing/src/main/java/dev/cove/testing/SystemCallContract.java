package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which system calls get through, for the default user and for root inside. */
abstract class SystemCallContract extends EngineContract {
  private static final List<String> REFUSED =
      List.of(
          "clone-newuser",
          "unshare-user",
          "unshare-mount",
          "setns",
          "mount",
          "umount2",
          "pivot_root",
          "chroot",
          "open_tree",
          "move_mount",
          "fsopen",
          "fsconfig",
          "fsmount",
          "fspick",
          "mount_setattr",
          "bpf",
          "perf_event_open",
          "userfaultfd",
          "io_uring_setup",
          "io_uring_enter",
          "io_uring_register",
          "add_key",
          "request_key",
          "keyctl",
          "init_module",
          "finit_module",
          "delete_module",
          "kexec_load",
          "open_by_handle_at",
          "fanotify_init",
          "quotactl",
          "acct",
          "swapon",
          "swapoff",
          "reboot",
          "settimeofday",
          "clock_settime",
          "process_vm_readv",
          "process_vm_writev",
          "pidfd_getfd",
          "kcmp",
          "process_madvise",
          "ptrace",
          "syslog",
          "vhangup",
          "sethostname",
          "name_to_handle_at",
          "personality-no-random",
          "ioctl-tiocsti",
          "ioctl-tioclinux",
          "socket-inet-raw",
          "mknod-device");

  @SuppressWarnings("NullAway.Init")
  private Box box;

  @BeforeAll
  void start() throws Exception {
    box = box();
  }

  @AfterAll
  void stop() {
    box.close();
  }

  private Map<String, String> probe(String user) {
    box.root("rm -f /tmp/probe-*");
    return SyscallProbe.parse(box.run(user, "/opt/syscall-probe </dev/null").output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void ordinary_calls_get_through(String user) {
    assertThat(probe(user))
        .containsEntry("clone", "ok")
        .containsEntry("personality", "ok")
        .containsEntry("socket-unix", "ok")
        .containsEntry("socket-inet", "ok")
        .containsEntry("socket-inet6", "ok")
        .containsEntry("socket-netlink-route", "ok")
        .containsEntry("mknod-fifo", "ok")
        .containsEntry("bind-port-80", "ok");
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void calls_that_lead_out_of_a_sandbox_are_refused(String user) {
    var answers = probe(user);
    assertThat(REFUSED).allSatisfy(call -> assertThat(answers).containsEntry(call, "EPERM"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void socket_families_that_reach_the_host_are_refused(String user) {
    assertThat(probe(user))
        .containsEntry("socket-netlink-audit", "EAFNOSUPPORT")
        .containsEntry("socket-packet", "EAFNOSUPPORT")
        .containsEntry("socket-alg", "EAFNOSUPPORT")
        .containsEntry("socket-vsock", "EAFNOSUPPORT");
  }

  @Test
  void calls_that_a_c_library_can_do_without_answer_as_if_unknown() {
    assertThat(probe("user")).containsEntry("clone3", "ENOSYS").containsEntry("unknown", "ENOSYS");
  }

  /** The 32-bit entry is live on most kernels and has other numbers for all that is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void other_abis_are_refused(String user) {
    var answers = probe(user);
    if (System.getProperty("os.arch").equals("amd64")) {
      assertThat(answers).containsEntry("int80", "signal 31").containsEntry("x32", "ENOSYS");
    }
  }
}
