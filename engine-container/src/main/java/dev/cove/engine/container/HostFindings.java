package dev.cove.engine.container;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.engine.network.NetworkNamespace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks at the host without changing anything, and says what it means for sandboxes. */
final class HostFindings {
  private static final int CAP_SYS_RESOURCE = 24;
  private static final int OLDEST_MAJOR = 5;
  private static final int OLDEST_MINOR = 19;
  private static final int NETWORK_MAJOR = 5;
  private static final int NETWORK_MINOR = 9;
  private static final Pattern RELEASE = Pattern.compile("^([0-9]{1,4})\\.([0-9]{1,4})");

  private final CgroupLayout layout;
  private final boolean favorsMoves;
  private final boolean loopDevices;
  private boolean enforcesDiskLimits;
  private final EngineSettings settings;
  private final KernelFiles files;
  private final List<Finding> findings = new ArrayList<>();

  HostFindings(
      CgroupLayout layout, boolean favorsMoves, boolean loopDevices, EngineSettings settings) {
    this(layout, favorsMoves, loopDevices, settings, KernelFiles.HERE);
  }

  HostFindings(
      CgroupLayout layout,
      boolean favorsMoves,
      boolean loopDevices,
      EngineSettings settings,
      KernelFiles files) {
    this.files = files;
    this.layout = layout;
    this.favorsMoves = favorsMoves;
    this.loopDevices = loopDevices;
    this.settings = settings;
  }

  EngineReport report() {
    kernel();
    capabilities();
    cgroups();
    userNamespaces();
    fileSystems();
    disk();
    seccomp();
    corePattern();
    bpf();
    network();
    swap();
    outOfMemory();
    findings.addAll(new KernelSettings(files).findings());
    boolean usable = findings.stream().noneMatch(f -> f.severity() == Severity.MISSING);
    return new EngineReport(
        usable,
        enforcesDiskLimits,
        findings,
        ContainerEngine.BOUNDARY.withDevices(settings.devices()));
  }

  private void add(Severity severity, String subject, String detail) {
    findings.add(new Finding(severity, subject, detail));
  }

  private void kernel() {
    String release = files.read("/proc/sys/kernel/osrelease");
    boolean recent = isAtLeast(OLDEST_MAJOR, OLDEST_MINOR);
    add(
        recent ? Severity.OK : Severity.MISSING,
        "kernel",
        recent
            ? "Linux " + release
            : "Linux %s cannot stack id-mapped layers; 5.19 or newer is needed".formatted(release));
  }

  private boolean isAtLeast(int major, int minor) {
    Matcher release = RELEASE.matcher(files.read("/proc/sys/kernel/osrelease"));
    if (!release.find()) {
      return false;
    }
    int[] there = {Integer.parseInt(release.group(1)), Integer.parseInt(release.group(2))};
    return Arrays.compare(there, new int[] {major, minor}) >= 0;
  }

  private void capabilities() {
    long effective = Long.parseUnsignedLong(statusField("CapEff:"), 16);
    if (!statusField("Uid:").startsWith("0")) {
      add(Severity.MISSING, "root", "Cages are built by root; start the server as root");
      return;
    }
    var missing = new ArrayList<String>();
    for (var entry : CapabilityNames.NEEDED.entrySet()) {
      if ((effective >> entry.getKey() & 1) == 0) {
        missing.add(entry.getValue());
      }
    }
    if (!missing.isEmpty()) {
      add(
          Severity.MISSING,
          "capabilities",
          "Root here lacks " + String.join(", ", missing) + ", without which no cage can be built");
    } else if ((effective >> CAP_SYS_RESOURCE & 1) == 0) {
      add(
          Severity.WARNING,
          "capabilities",
          "Root here lacks CAP_SYS_RESOURCE: limits of open files can only be lowered");
    } else {
      add(Severity.OK, "capabilities", "Root has all that is needed");
    }
  }

  private void cgroups() {
    var missing = layout.missing();
    if (!missing.isEmpty()) {
      add(
          Severity.MISSING,
          "cgroups",
          "No controller for " + String.join(", ", missing) + "; mount it under /sys/fs/cgroup");
      return;
    }
    add(Severity.OK, "cgroups", layout.describe());
    if (layout.isV2()) {
      return;
    }
    if (favorsMoves) {
      add(Severity.OK, "cgroup moves", "favordynmods is on: joining a cgroup is fast");
    } else {
      add(
          Severity.WARNING,
          "cgroup moves",
          "favordynmods is off: each start after a pause waits about 10 ms. "
              + (settings.favorCgroupMoves()
                  ? "The kernel refused it; Linux 6.0 or newer has it"
                  : "It is switched off in the settings"));
    }
  }

  private void userNamespaces() {
    String max = files.read("/proc/sys/user/max_user_namespaces");
    boolean on = files.has("/proc/self/ns/user") && !max.equals("0");
    add(
        on ? Severity.OK : Severity.MISSING,
        "user namespaces",
        on
            ? "On, at most " + max
            : "Off; set user.max_user_namespaces to some thousands with sysctl");
  }

  private void fileSystems() {
    String known = files.read("/proc/filesystems");
    boolean overlay = known.contains("overlay") || files.has("/sys/module/overlay");
    add(
        overlay ? Severity.OK : Severity.MISSING,
        "overlay",
        overlay
            ? "Overlay file systems over id-mapped layers"
            : "The kernel has no overlay file system; load it with modprobe overlay");
  }

  private void disk() {
    if (!settings.diskImages()) {
      add(Severity.WARNING, "disk limits", "Switched off in the settings: nothing holds a sandbox");
    } else if (!loopDevices) {
      add(
          Severity.WARNING,
          "disk limits",
          "Not enforced: loop devices do not work here, so a sandbox can fill the host's disk."
              + " Load the module with modprobe loop");
    } else if (BaseImages.findMkfs().isEmpty()) {
      add(
          Severity.WARNING,
          "disk limits",
          "Not enforced: there is no mkfs.ext4. Install e2fsprogs and start the server again");
    } else {
      enforcesDiskLimits = true;
      add(Severity.OK, "disk limits", "Size and inodes, by an ext4 image on a loop device each");
    }
  }

  private void seccomp() {
    String actions = files.read("/proc/sys/kernel/seccomp/actions_avail");
    boolean there = actions.contains("kill_process") && actions.contains("errno");
    add(
        there ? Severity.OK : Severity.MISSING,
        "seccomp",
        there ? "System call filters" : "The kernel has no system call filters (CONFIG_SECCOMP)");
  }

  private void corePattern() {
    String pattern = files.read("/proc/sys/kernel/core_pattern");
    if (pattern.startsWith("|")) {
      add(
          Severity.WARNING,
          "core_pattern",
          "Crashes are handed to a program that runs as root on the host (%s), those in sandboxes"
                  .formatted(pattern)
              + " too: the kernel does not ask a limit there. Set a plain name with sysctl"
              + " kernel.core_pattern=core");
    } else {
      add(Severity.OK, "core_pattern", "Not a pipe to a program");
    }
  }

  private void bpf() {
    String disabled = files.read("/proc/sys/kernel/unprivileged_bpf_disabled");
    if (disabled.equals("0")) {
      add(
          Severity.WARNING,
          "unprivileged bpf",
          "On. The filter denies bpf() in sandboxes; other users of the host have it. Turn it off"
              + " with sysctl kernel.unprivileged_bpf_disabled=2");
    } else {
      add(Severity.OK, "unprivileged bpf", "Off");
    }
  }

  private void network() {
    Optional<String> obstacle = obstacle();
    add(
        obstacle.isEmpty() ? Severity.OK : Severity.WARNING,
        "network",
        obstacle
            .map(why ->
                "Sandboxes reach nothing: the kernel cannot hand their connections over (%s); it"
                        .formatted(why)
                    + " needs Linux 5.9 with CONFIG_BPF_SYSCALL, and root")
            .orElse("The kernel hands connections of sandboxes over"));
  }

  /** Tried where it can be; a kernel that is only described is judged by its age. */
  private Optional<String> obstacle() {
    if (files.isHere()) {
      return NetworkNamespace.obstacle();
    }
    return isAtLeast(NETWORK_MAJOR, NETWORK_MINOR)
        ? Optional.empty()
        : Optional.of("it is Linux " + files.read("/proc/sys/kernel/osrelease"));
  }

  private void swap() {
    boolean on = files.read("/proc/swaps").lines().count() > 1;
    if (on) {
      add(
          Severity.WARNING,
          "swap",
          "On: what sandboxes hold in memory, secrets too, may reach the host's disk");
    } else {
      add(Severity.OK, "swap", "Off");
    }
  }

  /** Tried where it can be, and undone. */
  private void outOfMemory() {
    long effective = Long.parseUnsignedLong(statusField("CapEff:"), 16);
    boolean spared =
        files.isHere() ? OomScore.canProtect() : (effective >> CAP_SYS_RESOURCE & 1) == 1;
    add(
        spared ? Severity.OK : Severity.WARNING,
        "out of memory",
        spared
            ? "The kernel spares the server as long as it finds anything else to kill"
            : "The server cannot have itself spared when the host's memory runs out: its"
                + " oom_score_adj may not be lowered. Give it CAP_SYS_RESOURCE, or"
                + " OOMScoreAdjust=-900 in its systemd unit");
  }

  private String statusField(String name) {
    return files
        .read("/proc/self/status")
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst()
        .orElse("0");
  }
}
