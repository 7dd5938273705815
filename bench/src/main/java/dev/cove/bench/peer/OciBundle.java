package dev.cove.bench.peer;

import dev.cove.bench.report.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the configuration of an OCI bundle that asks a runtime for about the cage that Cove
 * builds: the same namespaces, cgroup limits, a seccomp filter, masked paths, an overlay root with
 * the host's /usr.
 *
 * <p>The overlay itself is mounted once, before the clock starts, which is in the runtime's favour.
 */
record OciBundle(PeerRoot root, Path rootFileSystem, String cgroupParent, boolean userNamespace) {
  private static final long FIRST_ID = 0x70000000L;

  /** System calls that no sandbox needs: roughly what Docker's default profile leaves out. */
  private static final List<String> REFUSED =
      List.of(
          "acct",
          "add_key",
          "bpf",
          "clock_adjtime",
          "clock_settime",
          "create_module",
          "delete_module",
          "finit_module",
          "fsconfig",
          "fsmount",
          "fsopen",
          "fspick",
          "get_kernel_syms",
          "init_module",
          "io_uring_enter",
          "io_uring_register",
          "io_uring_setup",
          "ioperm",
          "iopl",
          "kcmp",
          "kexec_file_load",
          "kexec_load",
          "keyctl",
          "lookup_dcookie",
          "mount",
          "mount_setattr",
          "move_mount",
          "move_pages",
          "name_to_handle_at",
          "nfsservctl",
          "open_by_handle_at",
          "open_tree",
          "perf_event_open",
          "pivot_root",
          "process_vm_readv",
          "process_vm_writev",
          "query_module",
          "quotactl",
          "reboot",
          "request_key",
          "setns",
          "settimeofday",
          "swapoff",
          "swapon",
          "sysfs",
          "umount2",
          "unshare",
          "uselib",
          "userfaultfd",
          "ustat",
          "vhangup");

  void write(Path bundle, String container, List<String> command) throws IOException {
    Files.createDirectories(bundle);
    Files.writeString(bundle.resolve("config.json"), JsonText.value(config(container, command)));
  }

  private Map<String, Object> config(String container, List<String> command) {
    return Map.of(
        "ociVersion", "1.0.2",
        "hostname", "bench",
        "root", Map.of("path", rootFileSystem.toString(), "readonly", false),
        "process", process(command),
        "mounts", mounts(),
        "linux", linux(cgroupParent + "/" + container));
  }

  private static Map<String, Object> process(List<String> command) {
    List<String> capabilities =
        List.of(
            "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_KILL", "CAP_SETGID", "CAP_SETUID");
    return Map.of(
        "terminal",
        false,
        "user",
        Map.of("uid", 0, "gid", 0),
        "args",
        command,
        "env",
        List.of("PATH=/usr/bin:/bin"),
        "cwd",
        "/",
        "noNewPrivileges",
        true,
        "capabilities",
        Map.of("bounding", capabilities, "effective", capabilities, "permitted", capabilities));
  }

  private List<Map<String, Object>> mounts() {
    var mounts = new ArrayList<Map<String, Object>>();
    for (String folder : root.bound()) {
      mounts.add(mount(folder, "bind", folder, "rbind", "ro"));
    }
    mounts.add(mount("/proc", "proc", "proc", "nosuid", "noexec", "nodev"));
    mounts.add(mount("/dev", "tmpfs", "tmpfs", "nosuid", "mode=755", "size=64k"));
    mounts.add(
        mount("/dev/pts", "devpts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666"));
    mounts.add(mount("/dev/shm", "tmpfs", "shm", "nosuid", "nodev", "mode=1777", "size=64m"));
    return mounts;
  }

  private static Map<String, Object> mount(
      String destination, String type, String source, String... options) {
    return Map.of(
        "destination", destination,
        "type", type,
        "source", source,
        "options", List.of(options));
  }

  private Map<String, Object> linux(String cgroup) {
    var kinds = new ArrayList<>(List.of("pid", "mount", "ipc", "uts", "network", "cgroup"));
    var ids = new ArrayList<Map<String, Object>>();
    if (userNamespace) {
      kinds.add("user");
      ids.add(Map.of("containerID", 0, "hostID", FIRST_ID, "size", 65536));
    }
    return Map.of(
        "namespaces", kinds.stream().map(kind -> Map.of("type", kind)).toList(),
        "uidMappings", ids,
        "gidMappings", ids,
        "cgroupsPath", cgroup,
        "resources",
            Map.of(
                "memory", Map.of("limit", 512L << 20),
                "pids", Map.of("limit", 256),
                "cpu", Map.of("quota", 100_000, "period", 100_000)),
        "seccomp",
            Map.of(
                "defaultAction", "SCMP_ACT_ALLOW",
                "architectures", List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"),
                "syscalls", List.of(Map.of("names", REFUSED, "action", "SCMP_ACT_ERRNO"))),
        "maskedPaths", List.of("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/acpi"),
        "readonlyPaths",
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"));
  }
}
