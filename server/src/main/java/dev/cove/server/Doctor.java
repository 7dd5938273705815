package dev.cove.server;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.model.CoveException;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Looks at this machine and says what Cove can promise on it, and what to mend. */
final class Doctor {
  private static final long MIN_DISK = 256L << 20;
  private static final long SMALL_DISK = 2L << 30;
  private static final int JDK = 25;
  private static final String DISK_LIMITS = "disk-limits";
  private static final String NETWORK = "network";
  private static final Set<String> FAR_AWAY = Set.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs");

  /**
   * What was found.
   *
   * @param usable sandboxes can run here
   * @param offers what can honestly be promised here: tiers, and what sandboxes of them have
   * @param broken what was promised and cannot be
   */
  record Diagnosis(
      boolean usable, List<String> offers, List<String> broken, List<Finding> findings) {
    /** What was found besides, which changes nothing in what can be promised. */
    Diagnosis with(List<Finding> more) {
      return new Diagnosis(
          usable, offers, broken, Stream.concat(findings.stream(), more.stream()).toList());
    }
  }

  private Doctor() {}

  /** All that can be promised on some machine. */
  static List<String> promises() {
    return Stream.concat(
            Arrays.stream(Tier.values()).map(Tier::publicName), Stream.of(DISK_LIMITS, NETWORK))
        .toList();
  }

  static Diagnosis examine(Path data, Supplier<EngineReport> engine) {
    return examine(data, Path.of("/"), engine, Map.of(), List.of());
  }

  /**
   * @param root with /dev of the machine
   * @param stronger the tiers above the container tier, which a machine may well lack
   * @param promised some of {@link #promises}
   */
  static Diagnosis examine(
      Path data,
      Path root,
      Supplier<EngineReport> engine,
      Map<Tier, EngineReport> stronger,
      List<String> promised) {
    EngineReport report = report(engine);
    var findings = new ArrayList<>(report.findings());
    findings.add(jdk());
    findings.add(disk(data));
    findings.add(kvm(root.resolve("dev/kvm")));
    findings.add(criu());
    findings.add(tier(Tier.CONTAINER, report));
    stronger.forEach((tier, itsReport) -> findings.add(tier(tier, itsReport)));
    boolean nothingMissing =
        findings.stream().noneMatch(finding -> finding.severity() == Severity.MISSING);
    boolean usable = report.usable() && nothingMissing;
    List<String> offers = usable ? offers(report, stronger) : List.of();
    List<String> broken = promised.stream().filter(word -> !offers.contains(word)).toList();
    return new Diagnosis(usable, offers, broken, List.copyOf(findings));
  }

  private static List<String> offers(EngineReport report, Map<Tier, EngineReport> stronger) {
    var offers = new ArrayList<>(List.of(Tier.CONTAINER.publicName()));
    stronger.forEach((tier, itsReport) -> {
      if (itsReport.usable()) {
        offers.add(tier.publicName());
      }
    });
    if (report.enforcesDiskLimits()) {
      offers.add(DISK_LIMITS);
    }
    boolean network =
        report.findings().stream()
            .filter(finding -> finding.subject().equals(NETWORK))
            .anyMatch(finding -> finding.severity() == Severity.OK);
    if (network) {
      offers.add(NETWORK);
    }
    return List.copyOf(offers);
  }

  /** An engine that cannot even look is a finding, not a crash. */
  private static EngineReport report(Supplier<EngineReport> engine) {
    try {
      return engine.get();
    } catch (CoveException e) {
      var finding =
          new Finding(Severity.MISSING, "container engine", String.valueOf(e.getMessage()));
      return new EngineReport(false, false, List.of(finding), ContainerEngine.BOUNDARY);
    }
  }

  /** What a tier really is here. One that is not there is no fault of a machine. */
  private static Finding tier(Tier tier, EngineReport report) {
    String subject = "tier " + tier.publicName();
    if (!report.usable()) {
      return new Finding(Severity.OK, subject, "Not here: " + report.obstacles());
    }
    Boundary boundary = report.boundary();
    return new Finding(
        Severity.OK,
        subject,
        "By %s. Kernel: %s; held by hardware: %s; memory of paused ones: %s; memory in checkpoints: %s;"
                .formatted(
                    boundary.by(),
                    boundary.kernel().publicName(),
                    word(boundary.hardware()),
                    boundary.memoryOnPause().publicName(),
                    word(boundary.memoryInCheckpoints()))
            + " a fork: %s; GPU: %s; containers inside: %s. Not covered: %s"
                .formatted(
                    boundary.forkCost().publicName(),
                    word(boundary.gpu()),
                    word(boundary.nestedContainers()),
                    String.join(". ", boundary.notCovered())));
  }

  private static String word(boolean so) {
    return so ? "yes" : "no";
  }

  private static Finding jdk() {
    int feature = Runtime.version().feature();
    return new Finding(
        feature == JDK ? Severity.OK : Severity.WARNING,
        "JDK",
        "%s from %s%s"
            .formatted(
                Runtime.version(),
                System.getProperty("java.vendor"),
                feature == JDK ? "" : "; Cove is built for and tested on " + JDK));
  }

  static Finding disk(Path data) {
    Path existing = data.toAbsolutePath();
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    try {
      FileStore store = Files.getFileStore(existing);
      long free = store.getUsableSpace();
      String detail = "%d MB free on %s for %s".formatted(free >> 20, store.type(), data);
      return obstacle(store.type(), free)
          .map(why -> new Finding(severity(free), "disk", detail + "; " + why))
          .orElseGet(() -> new Finding(Severity.OK, "disk", detail));
    } catch (IOException e) {
      return new Finding(
          Severity.MISSING, "disk", "The file system of %s cannot be asked: %s".formatted(data, e));
    }
  }

  private static Severity severity(long free) {
    return free < MIN_DISK ? Severity.MISSING : Severity.WARNING;
  }

  private static Optional<String> obstacle(String type, long free) {
    if (free < MIN_DISK) {
      return Optional.of("too little for the ledger and one sandbox. Free some, or move COVE_HOME");
    }
    if (FAR_AWAY.contains(type)) {
      return Optional.of(
          "a file system of another machine does not keep the ledger's locks, and every sandbox"
              + " waits for it. Move COVE_HOME to a disk of this one");
    }
    if (type.equals("tmpfs")) {
      return Optional.of(
          "that is memory, and all is gone with the machine. Move COVE_HOME to a disk if it should"
              + " stay");
    }
    return free < SMALL_DISK ? Optional.of("a few busy sandboxes may fill it") : Optional.empty();
  }

  /** Not used; said because people ask why the memory of paused sandboxes stays in memory. */
  private static Finding criu() {
    return new Finding(
        Severity.OK,
        "CRIU",
        "Not used: what is paused is frozen, and its memory stays in the host's. Debian's 3.17 does"
            + " not work on kernels as new as 6.18; criu check says whether yours does");
  }

  /** Not needed by the container tier; said because people ask which tiers a machine could have. */
  static Finding kvm(Path device) {
    return Files.exists(device)
        ? new Finding(Severity.OK, "KVM", device + " is there")
        : new Finding(
            Severity.OK,
            "KVM",
            device
                + " is not there: this machine has no virtualisation to offer. The container tier"
                + " does not need it");
  }
}
