package dev.cove.engine;

import dev.cove.model.boundary.Boundary;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What an engine can honestly promise on this host.
 *
 * @param usable false when no cage can be built at all
 * @param enforcesDiskLimits false when a sandbox could fill the host's disk
 * @param boundary what its sandboxes have, or would have if it were usable
 */
public record EngineReport(
    boolean usable, boolean enforcesDiskLimits, List<Finding> findings, Boundary boundary) {
  public EngineReport {
    findings = List.copyOf(findings);
  }

  public enum Severity {
    OK,
    /** Works, but something is slower or weaker than it could be. */
    WARNING,
    /** The engine cannot work without it. */
    MISSING
  }

  /**
   * One thing looked at.
   *
   * @param subject what was looked at, in a few words
   * @param detail what was found, what it means, and how to mend it where it needs mending
   */
  public record Finding(Severity severity, String subject, String detail) {}

  /** What is missing, in one text; empty when the engine is usable. */
  public String obstacles() {
    return findings.stream()
        .filter(finding -> finding.severity() == Severity.MISSING)
        .map(finding -> finding.subject() + ": " + finding.detail())
        .collect(Collectors.joining("; "));
  }
}
