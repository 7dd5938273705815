package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.SandboxFigures;
import dev.cove.edge.e2b.Timeouts;
import dev.cove.model.SandboxState;
import dev.cove.model.VolumeMount;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sandboxes as E2B's clients read them. Some of them insist on every field. */
final class Bodies {
  static final String CLIENT = "cove";

  private Bodies() {}

  /** A sandbox in a list, or by itself: then with its token and its rules. */
  record Listed(
      String sandboxID,
      String templateID,
      String clientID,
      Instant startedAt,
      Instant endAt,
      int cpuCount,
      int memoryMB,
      int diskSizeMB,
      String state,
      String envdVersion,
      Map<String, String> metadata,
      List<Mount> volumeMounts,
      Optional<String> envdAccessToken,
      Optional<Boolean> allowInternetAccess,
      Optional<OutRules.Shown> network,
      Optional<Timeouts.Lifecycle> lifecycle) {}

  record Mount(String name, String path) {
    static Mount of(VolumeMount mount) {
      return new Mount(mount.volume().value(), mount.target());
    }
  }

  static Listed listed(Sandbox sandbox) {
    return body(sandbox, Optional.empty(), Optional.empty(), Optional.empty());
  }

  static Listed detail(Sandbox sandbox, Envd envd) {
    return body(
        sandbox,
        Optional.of(envd.token(sandbox.id())),
        Optional.of(OutRules.shown(sandbox)),
        Optional.of(Timeouts.lifecycle(sandbox)));
  }

  private static Listed body(
      Sandbox sandbox,
      Optional<String> token,
      Optional<OutRules.Shown> network,
      Optional<Timeouts.Lifecycle> lifecycle) {
    var spec = sandbox.spec();
    return new Listed(
        sandbox.id().value(),
        TemplateNames.shown(spec.template().name()),
        CLIENT,
        sandbox.createdAt(),
        Timeouts.endAt(sandbox),
        SandboxFigures.cpuCount(sandbox),
        spec.resources().memoryMb(),
        spec.resources().diskMb(),
        isRunning(sandbox) ? "running" : "paused",
        Envd.VERSION,
        Metadata.of(spec.labels()),
        spec.volumes().stream().map(Mount::of).toList(),
        token,
        network.map(rules -> !rules.denyOut().contains("0.0.0.0/0")),
        network,
        lifecycle);
  }

  static boolean isRunning(Sandbox sandbox) {
    return sandbox.state() instanceof SandboxState.Running;
  }

  /** Whether E2B has a word for its state: it runs, or can be made to. */
  static boolean isShown(Sandbox sandbox) {
    return switch (sandbox.state()) {
      case SandboxState.Running _, SandboxState.Paused _, SandboxState.Stopped _ -> true;
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Failed _,
          SandboxState.Discarded _,
          SandboxState.Deleted _ ->
          false;
    };
  }
}
