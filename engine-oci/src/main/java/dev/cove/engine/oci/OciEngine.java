package dev.cove.engine.oci;

import dev.cove.engine.Engine;
import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Engines that leave the last step to an OCI runtime. */
public final class OciEngine {
  private static final String PTRACE = "ptrace";
  private static final String SYSTRAP = "systrap";

  private OciEngine() {}

  /**
   * The gVisor tier. It is there also where runsc is not, and says so: sandboxes that it built can
   * still be found and stopped.
   */
  public static Engine gvisor(ContainerEngine containers, GvisorSettings settings) {
    Optional<OciRuntime> runtime = OciRuntime.find(settings.runtime());
    String platform = platform(runtime, settings);
    Path program = runtime.map(OciRuntime::program).orElse(Path.of(settings.runtime()));
    return containers.launching(
        Tier.GVISOR,
        new Runsc(program, platform, runtime.filter(found -> found.knows("-directfs")).isPresent()),
        below -> report(below, runtime, settings, platform));
  }

  /** What the engine would say, as far as it can be told without opening one. */
  public static EngineReport examineGvisor(EngineReport below, GvisorSettings settings) {
    Optional<OciRuntime> runtime = OciRuntime.find(settings.runtime());
    return report(below, runtime, settings, platform(runtime, settings));
  }

  /** KVM is taken when it is named: trying whether it works takes seconds, and may hang. */
  private static String platform(Optional<OciRuntime> runtime, GvisorSettings settings) {
    return settings
        .platform()
        .orElseGet(
            () -> runtime.filter(found -> found.knows(SYSTRAP)).map(_ -> SYSTRAP).orElse(PTRACE));
  }

  private static EngineReport report(
      EngineReport below, Optional<OciRuntime> runtime, GvisorSettings settings, String platform) {
    var findings = new ArrayList<Finding>();
    if (runtime.isEmpty()) {
      findings.add(
          new Finding(
              Severity.MISSING,
              "runsc",
              "There is no program %s; install the Debian package runsc, or name another with"
                      .formatted(settings.runtime())
                  + " COVE_RUNSC"));
    } else {
      findings.add(
          new Finding(Severity.OK, "runsc", runtime.get().version() + ", platform " + platform));
    }
    if (!below.usable()) {
      findings.add(new Finding(Severity.MISSING, "container engine", below.obstacles()));
    }
    return new EngineReport(
        below.usable() && runtime.isPresent(),
        below.enforcesDiskLimits(),
        findings,
        boundary(runtime, platform));
  }

  private static Boundary boundary(Optional<OciRuntime> runtime, String platform) {
    boolean kvm = platform.equals("kvm");
    var notCovered =
        new ArrayList<>(
            List.of(
                "A bug in gVisor itself, together with one in the few system calls of the host's"
                    + " kernel that it may make",
                "The host's network stack: sockets inside are the host's, in a network that leads"
                    + " to the gateway alone",
                "Side channels through hardware that sandboxes share",
                "Memory in checkpoints: they hold files, and programs of a fork begin anew"));
    if (!kvm) {
      notCovered.add("Held by software (%s), and not by virtualisation".formatted(platform));
    }
    return new Boundary(
        runtime.map(OciRuntime::version).orElse("runsc") + ", " + platform,
        KernelOf.OWN,
        kvm,
        PausedMemory.RAM,
        false,
        ForkCost.COPIED_FILES,
        false,
        List.of(),
        notCovered);
  }
}
