package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostFindingsTest {
  private static List<Finding> findings(CgroupLayout layout, boolean favors, boolean loops) {
    return new HostFindings(layout, favors, loops, EngineSettings.DEFAULT).report().findings();
  }

  @Test
  void this_machine_can_build_cages_and_every_subject_is_looked_at() {
    var report = new HostFindings(CgroupLayout.read(), true, true, EngineSettings.DEFAULT).report();
    assertThat(report.usable()).isTrue();
    assertThat(report.enforcesDiskLimits()).isTrue();
    assertThat(report.findings())
        .extracting(Finding::subject)
        .contains(
            "kernel",
            "capabilities",
            "cgroups",
            "user namespaces",
            "overlay",
            "disk limits",
            "seccomp",
            "core_pattern",
            "unprivileged bpf",
            "network",
            "swap",
            "out of memory");
  }

  @Test
  void a_host_without_controllers_is_not_usable() {
    var empty = new CgroupLayout(Map.of(), Optional.empty(), Set.of());
    var report = new HostFindings(empty, true, true, EngineSettings.DEFAULT).report();
    assertThat(report.usable()).isFalse();
    assertThat(report.findings())
        .anyMatch(f -> f.severity() == Severity.MISSING && f.detail().contains("memory"));
  }

  @Test
  void a_host_without_loop_devices_says_what_that_costs_and_how_to_mend_it() {
    assertThat(findings(CgroupLayout.read(), true, false))
        .anyMatch(f ->
            f.severity() == Severity.WARNING
                && f.subject().equals("disk limits")
                && f.detail().contains("modprobe loop"));
  }
}
