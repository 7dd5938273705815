package dev.cove.engine.oci;

import dev.cove.engine.container.Launcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The {@code config.json} of a bundle, as the OCI runtime specification 1.0 has it. */
final class Bundle {
  private static final int SOFT_FILES = 4_096;
  private static final int HARD_FILES = 65_536;

  /** By their numbers, as far as anybody inside may have them. */
  private static final List<String> CAPABILITIES =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_DAC_READ_SEARCH",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETPCAP",
          "CAP_LINUX_IMMUTABLE",
          "CAP_NET_BIND_SERVICE");

  private final Launcher.Wanted wanted;

  Bundle(Launcher.Wanted wanted) {
    this.wanted = wanted;
  }

  String text() {
    var config = new LinkedHashMap<String, Object>();
    config.put("ociVersion", "1.0.2");
    config.put("hostname", wanted.id());
    config.put("root", Map.of("path", Launcher.ROOT.toString(), "readonly", false));
    config.put("process", process());
    config.put("mounts", mounts());
    config.put("linux", linux());
    return JsonMapper.shared().writeValueAsString(config);
  }

  private Map<String, Object> process() {
    List<String> capabilities = capabilities(wanted.agentCapabilities());
    return Map.of(
        "terminal",
        false,
        "user",
        Map.of("uid", 0, "gid", 0),
        "args",
        List.of(
            Launcher.COMMANDS_INSIDE + "/cove-agent",
            "--hand-fd",
            "0",
            "--caps",
            Long.toHexString(wanted.rootCapabilities()),
            "--asks",
            "on"),
        "env",
        List.of(),
        "cwd",
        "/",
        "capabilities",
        Map.of("bounding", capabilities, "effective", capabilities, "permitted", capabilities),
        "rlimits",
        List.of(
            Map.of("type", "RLIMIT_NOFILE", "soft", SOFT_FILES, "hard", HARD_FILES),
            Map.of("type", "RLIMIT_CORE", "soft", 0, "hard", 0)),
        "noNewPrivileges",
        true);
  }

  private static List<String> capabilities(long bits) {
    var names = new ArrayList<String>();
    for (int i = 0; i < CAPABILITIES.size(); i++) {
      if ((bits >> i & 1) == 1) {
        names.add(CAPABILITIES.get(i));
      }
    }
    return names;
  }

  /**
   * /tmp is named because gVisor would put memory there otherwise, which neither the disk limit nor
   * a checkpoint would see.
   */
  private List<Map<String, Object>> mounts() {
    return List.of(
        mount("/proc", "proc", "proc", "nosuid", "noexec", "nodev"),
        mount("/dev", "tmpfs", "tmpfs", "nosuid", "mode=755", "size=65536k"),
        mount("/dev/pts", "devpts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666"),
        mount(
            "/dev/shm",
            "tmpfs",
            "shm",
            "nosuid",
            "noexec",
            "nodev",
            "mode=1777",
            "size=" + wanted.shmBytes()),
        mount("/tmp", "bind", Launcher.ROOT + "/tmp", "bind", "rw", "nosuid", "nodev"),
        mount(
            Launcher.COMMANDS_INSIDE,
            "bind",
            Launcher.COMMANDS.toString(),
            "bind",
            "ro",
            "nosuid",
            "nodev"));
  }

  private static Map<String, Object> mount(
      String destination, String type, String source, String... options) {
    return Map.of(
        "destination", destination, "type", type, "source", source, "options", List.of(options));
  }

  /**
   * No network namespace: the runtime stays in the one that it is started in. No user namespace
   * either: it is started as root of the sandbox's.
   */
  private static Map<String, Object> linux() {
    return Map.of(
        "namespaces",
        List.of(
            Map.of("type", "pid"),
            Map.of("type", "ipc"),
            Map.of("type", "uts"),
            Map.of("type", "mount")));
  }
}
