package dev.cove.edge.sandbox;

import dev.cove.control.sandbox.Reviews;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.tier.BoundaryBody;
import dev.cove.engine.EngineReport;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.Tier;
import dev.cove.model.VolumeMount;
import dev.cove.model.Workspace;
import dev.cove.model.network.GroupMembership;
import dev.cove.review.tree.TreePath;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A sandbox as callers see it. Its environment may hold secrets and is never told. */
public record SandboxBody(
    String id,
    String name,
    String project,
    String state,
    Optional<String> reason,
    String template,
    String tier,
    Optional<BoundaryBody> boundary,
    double cpus,
    int memoryMb,
    int diskMb,
    int maxProcesses,
    Map<String, String> labels,
    Instant createdAt,
    Optional<Instant> startedAt,
    Optional<Instant> restingSince,
    Optional<String> memory,
    Optional<String> parent,
    List<MountBody> volumes,
    List<ProjectBody> projects,
    Optional<String> group,
    LifeBody life,
    Optional<Instant> keptUntil) {
  public static SandboxBody of(Sandbox sandbox) {
    return of(sandbox, Optional.empty());
  }

  /** With what really holds it. */
  static SandboxBody of(Sandbox sandbox, Map<Tier, EngineReport> tiers) {
    return of(
        sandbox,
        Optional.ofNullable(tiers.get(sandbox.spec().tier()))
            .map(report -> BoundaryBody.of(report.boundary())));
  }

  private static SandboxBody of(Sandbox sandbox, Optional<BoundaryBody> boundary) {
    var spec = sandbox.spec();
    var resources = spec.resources();
    return new SandboxBody(
        sandbox.id().value(),
        spec.name(),
        spec.project().value(),
        sandbox.state().publicName(),
        reason(sandbox.state()),
        spec.template().name(),
        spec.tier().publicName(),
        boundary,
        resources.milliCpus() / 1_000.0,
        resources.memoryMb(),
        resources.diskMb(),
        resources.maxProcesses(),
        spec.labels(),
        sandbox.createdAt(),
        startedAt(sandbox.state()),
        restingSince(sandbox.state()),
        memory(sandbox.state()),
        sandbox.parent().map(SandboxId::value),
        spec.volumes().stream().map(MountBody::of).toList(),
        spec.workspaces().stream().map(ProjectBody::of).toList(),
        spec.network().membership().map(GroupMembership::group),
        LifeBody.of(sandbox),
        sandbox.state() instanceof SandboxState.Discarded kept
            ? Optional.of(kept.until())
            : Optional.empty());
  }

  /** A volume that the sandbox has. */
  public record MountBody(String volume, String target, boolean readOnly) {
    static MountBody of(VolumeMount mount) {
      return new MountBody(mount.volume().value(), mount.target(), mount.readOnly());
    }
  }

  /**
   * A folder of the host that the sandbox has.
   *
   * @param hidden what is there and the sandbox does not see, the first of them; only where one
   *     sandbox is asked for
   */
  public record ProjectBody(
      String path,
      String target,
      boolean readOnly,
      Optional<List<String>> hidden,
      Optional<Integer> hiddenCount) {
    private static final int MOST = 200;

    static ProjectBody of(Workspace workspace) {
      return new ProjectBody(
          workspace.path(),
          workspace.target(),
          workspace.readOnly(),
          Optional.empty(),
          Optional.empty());
    }

    static ProjectBody of(Reviews.Hidden hidden) {
      Workspace workspace = hidden.workspace();
      return new ProjectBody(
          workspace.path(),
          workspace.target(),
          workspace.readOnly(),
          Optional.of(hidden.paths().stream().limit(MOST).map(TreePath::shown).toList()),
          Optional.of(hidden.paths().size()));
    }
  }

  /** With what is hidden in its projects. */
  SandboxBody with(List<Reviews.Hidden> hidden) {
    return new SandboxBody(
        id,
        name,
        project,
        state,
        reason,
        template,
        tier,
        boundary,
        cpus,
        memoryMb,
        diskMb,
        maxProcesses,
        labels,
        createdAt,
        startedAt,
        restingSince,
        memory,
        parent,
        volumes,
        hidden.stream().map(ProjectBody::of).toList(),
        group,
        life,
        keptUntil);
  }

  private static Optional<String> reason(SandboxState state) {
    return switch (state) {
      case SandboxState.Paused paused -> Optional.of(paused.reason().publicName());
      case SandboxState.Stopped stopped -> Optional.of(stopped.reason().publicName());
      case SandboxState.Failed failed -> Optional.of(failed.reason());
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Running _,
          SandboxState.Discarded _,
          SandboxState.Deleted _ ->
          Optional.empty();
    };
  }

  private static Optional<Instant> restingSince(SandboxState state) {
    return switch (state) {
      case SandboxState.Paused paused -> Optional.of(paused.since());
      case SandboxState.Stopped stopped -> Optional.of(stopped.since());
      case SandboxState.Discarded discarded -> Optional.of(discarded.since());
      default -> Optional.empty();
    };
  }

  /** What became of the memory of one that rests. */
  private static Optional<String> memory(SandboxState state) {
    return switch (state) {
      case SandboxState.Paused _ -> Optional.of("kept");
      case SandboxState.Stopped _, SandboxState.Discarded _ -> Optional.of("gone");
      default -> Optional.empty();
    };
  }

  private static Optional<Instant> startedAt(SandboxState state) {
    return state instanceof SandboxState.Running running
        ? Optional.of(running.since())
        : Optional.empty();
  }
}
