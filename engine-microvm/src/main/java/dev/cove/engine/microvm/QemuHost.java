package dev.cove.engine.microvm;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What this host has for machines.
 *
 * @param program QEMU itself
 * @param version what it says of itself
 * @param hardware whether the processor's virtualisation can be used; QEMU emulates it otherwise
 */
record QemuHost(
    Optional<Path> program,
    String version,
    Optional<GuestKernel> kernel,
    boolean hardware,
    List<String> missingTools,
    boolean wire) {
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
  private static final Path HARDWARE = Path.of("/dev/kvm");
  private static final Path WIRE = Path.of("/dev/net/tun");

  /** Where {@code ./cove} unpacks Debian's kernel for clouds, and where an installed one is. */
  private static final List<Path> KERNELS =
      List.of(Path.of("/var/cache/cove/kernel"), Path.of("/"));

  QemuHost {
    missingTools = List.copyOf(missingTools);
  }

  static QemuHost look() {
    Optional<Path> program = Programs.find("qemu-system-x86_64");
    return new QemuHost(
        program,
        program.map(QemuHost::versionOf).orElse(""),
        GuestKernel.find(KERNELS),
        hasHardware(),
        List.of("mke2fs", "debugfs", "unshare").stream()
            .filter(tool -> Programs.find(tool).isEmpty())
            .toList(),
        Files.exists(WIRE));
  }

  private static String versionOf(Path program) {
    String text = Programs.run(List.of(program.toString(), "--version"));
    return text.lines().findFirst().orElse("").replaceAll("^.*version ([0-9.]+).*$", "$1");
  }

  /** The device alone says little: where the processor lacks it, machines would not come up. */
  private static boolean hasHardware() {
    try (var _ = FileChannel.open(HARDWARE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return Files.readAllLines(PROCESSOR).stream()
          .filter(line -> line.startsWith("flags"))
          .anyMatch(line -> line.matches(".*\\b(vmx|svm)\\b.*"));
    } catch (IOException e) {
      return false;
    }
  }

  EngineReport report() {
    var findings = new ArrayList<Finding>();
    findings.add(
        program
            .map(_ -> new Finding(Severity.OK, "QEMU", version))
            .orElse(
                new Finding(
                    Severity.MISSING, "QEMU", "not installed; apt-get install qemu-system-x86")));
    findings.add(
        kernel
            .map(found -> new Finding(Severity.OK, "a machine's kernel", found.image().toString()))
            .orElse(
                new Finding(
                    Severity.MISSING,
                    "a machine's kernel",
                    "none below /var/cache/cove/kernel; ./cove run --tier microvm fetches and unpacks"
                        + " Debian's linux-image-cloud-amd64 there")));
    missingTools.forEach(tool ->
        findings.add(new Finding(Severity.MISSING, tool, "not installed; needed to make disks")));
    if (!wire) {
      findings.add(
          new Finding(Severity.MISSING, "/dev/net/tun", "not there; modprobe tun, or load it"));
    }
    findings.add(
        hardware
            ? new Finding(Severity.OK, "virtualisation", "by the processor, through /dev/kvm")
            : new Finding(
                Severity.WARNING,
                "virtualisation",
                "emulated by QEMU, several times slower: /dev/kvm cannot be used, or the processor"
                    + " has no vmx or svm"));
    boolean usable = findings.stream().noneMatch(each -> each.severity() == Severity.MISSING);
    return new EngineReport(usable, true, findings, boundary());
  }

  private Boundary boundary() {
    var notCovered =
        new ArrayList<>(
            List.of(
                "A bug in QEMU's devices leads into a process with an id of its own that owns nothing, in a jail on the host's kernel",
                "Side channels through hardware that sandboxes share",
                "Memory in checkpoints: they hold files, and programs of a fork begin anew",
                "Volumes, and changes of memory while it runs"));
    if (!hardware) {
      notCovered.add(
          "Bugs in QEMU's emulation of the processor, which stands in for hardware here");
    }
    return new Boundary(
        "QEMU %s, %s".formatted(version, hardware ? "by hardware" : "emulated").strip(),
        KernelOf.OWN,
        hardware,
        PausedMemory.RAM,
        false,
        ForkCost.COPIED_FILES,
        false,
        List.of(),
        notCovered);
  }
}
