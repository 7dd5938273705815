package dev.cove.server;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Looks at this machine and says what Cove can promise on it, and what to mend. */
final class Doctor {
  private static final long MIN_DISK = 256L << 20;
  private static final long SMALL_DISK = 2L << 30;
  private static final int JDK = 25;

  /**
   * What was found.
   *
   * @param usable sandboxes can run here
   */
  record Diagnosis(boolean usable, List<Finding> findings) {}

  private Doctor() {}

  static Diagnosis examine(Path data, Supplier<EngineReport> engine) {
    EngineReport report = report(engine);
    var findings = new ArrayList<>(report.findings());
    findings.add(jdk());
    findings.add(disk(data));
    findings.add(kvm(Path.of("/dev/kvm")));
    boolean nothingMissing =
        findings.stream().noneMatch(finding -> finding.severity() == Severity.MISSING);
    return new Diagnosis(report.usable() && nothingMissing, List.copyOf(findings));
  }

  /** An engine that cannot even look is a finding, not a crash. */
  private static EngineReport report(Supplier<EngineReport> engine) {
    try {
      return engine.get();
    } catch (CoveException e) {
      var finding =
          new Finding(Severity.MISSING, "container engine", String.valueOf(e.getMessage()));
      return new EngineReport(false, false, List.of(finding));
    }
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
      long free = Files.getFileStore(existing).getUsableSpace();
      String detail = "%d MB free for %s".formatted(free >> 20, data);
      if (free < MIN_DISK) {
        return new Finding(
            Severity.MISSING, "disk", detail + "; too little for the ledger and one sandbox");
      }
      return free < SMALL_DISK
          ? new Finding(Severity.WARNING, "disk", detail + "; a few busy sandboxes may fill it")
          : new Finding(Severity.OK, "disk", detail);
    } catch (IOException e) {
      return new Finding(
          Severity.MISSING, "disk", "The file system of %s cannot be asked: %s".formatted(data, e));
    }
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
