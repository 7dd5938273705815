package dev.cove.edge.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.CreateSandbox;
import dev.cove.control.volume.VolumeWish;
import dev.cove.edge.http.Fields;
import dev.cove.edge.network.GroupBody;
import dev.cove.edge.network.NetworkBody;
import dev.cove.edge.secret.BindingBody;
import dev.cove.edge.service.ServiceBody;
import dev.cove.edge.tier.TierBody;
import dev.cove.edge.usage.BudgetBody;
import dev.cove.model.VolumeMount;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a caller may say about a new sandbox. */
record CreateBody(
    @Nullable String name,
    @Nullable String template,
    @Nullable String tier,
    TierBody.@Nullable RequiresBody requires,
    @Nullable Double cpus,
    @Nullable Integer memoryMb,
    @Nullable Integer diskMb,
    @Nullable Integer maxProcesses,
    @Nullable Map<String, @Nullable String> env,
    @Nullable Map<String, @Nullable String> labels,
    @Nullable String checkpoint,
    @Nullable String image,
    @Nullable List<@Nullable VolumeBody> volumes,
    @Nullable List<@Nullable WorkspaceBody> projects,
    @Nullable WantedRules checkpoints,
    @Nullable NetworkBody network,
    @Nullable List<@Nullable BindingBody> secrets,
    @Nullable String group,
    @Nullable List<@Nullable String> groupPorts,
    @Nullable Map<String, @Nullable Object> life,
    @Nullable List<@Nullable String> start,
    @Nullable List<@Nullable ServiceBody> services,
    @Nullable BudgetBody budget) {
  private static final String DEFAULT_TEMPLATE = "host";

  String templateName() {
    if (template != null && image != null) {
      throw new IllegalArgumentException("Give template or image, not both");
    }
    return template == null ? DEFAULT_TEMPLATE : template;
  }

  CreateSandbox toRequest(Optional<String> idempotencyKey) {
    return new CreateSandbox(
        Optional.ofNullable(name),
        templateName(),
        TierBody.wish(tier, requires),
        new LimitsBody(cpus, memoryMb, diskMb, maxProcesses).toWish(),
        Fields.textMap("env", env),
        Fields.textMap("labels", labels),
        volumeWishes(),
        WorkspaceBody.allOf(projects),
        rules(),
        networkSettings(),
        membership(),
        LifeBody.rules(life),
        ServiceBody.allOf(start, services),
        Optional.ofNullable(budget).map(BudgetBody::toBudget),
        idempotencyKey);
  }

  /** For a sandbox that begins with a checkpoint. */
  Branches.FromCheckpoint fromCheckpoint(Optional<String> idempotencyKey) {
    if (template != null || image != null || diskMb != null) {
      throw new IllegalArgumentException(
          "template, image and diskMb are those of the checkpoint and must not be given with it");
    }
    return new Branches.FromCheckpoint(
        Optional.ofNullable(name),
        TierBody.wish(tier, requires),
        Optional.ofNullable(cpus).map(LimitsBody::milliCpus),
        Optional.ofNullable(memoryMb),
        Optional.ofNullable(maxProcesses),
        Fields.textMap("env", env),
        Fields.textMap("labels", labels),
        volumeWishes(),
        WorkspaceBody.allOf(projects),
        rules(),
        networkSettings(),
        membership(),
        LifeBody.rules(life),
        ServiceBody.allOf(start, services),
        Optional.ofNullable(budget).map(BudgetBody::toBudget),
        idempotencyKey);
  }

  private Optional<GroupMembership> membership() {
    if (group == null && groupPorts != null) {
      throw new IllegalArgumentException("groupPorts go with group");
    }
    return Optional.ofNullable(group)
        .map(name -> GroupBody.membership("group", name, "groupPorts", groupPorts));
  }

  private Optional<NetworkSettings> networkSettings() {
    Optional<NetworkSettings> reach = Optional.ofNullable(network).map(NetworkBody::toSettings);
    return secrets == null
        ? reach
        : Optional.of(
            reach.orElse(NetworkSettings.NOTHING).with(BindingBody.allOf("secrets", secrets)));
  }

  private Optional<CheckpointRules> rules() {
    return Optional.ofNullable(checkpoints).map(WantedRules::toRules);
  }

  private List<VolumeWish> volumeWishes() {
    if (volumes == null) {
      return List.of();
    }
    if (volumes.size() > VolumeMount.MAX) {
      throw new IllegalArgumentException(
          "volumes has %d entries, at most %d are allowed"
              .formatted(volumes.size(), VolumeMount.MAX));
    }
    return volumes.stream().map(body -> Fields.require("volumes[]", body).toWish()).toList();
  }

  /**
   * A volume that the sandbox is to have.
   *
   * @param volume id or name
   */
  record VolumeBody(@Nullable String volume, @Nullable String target, @Nullable Boolean readOnly) {
    VolumeWish toWish() {
      return new VolumeWish(
          Fields.require("volumes[].volume", volume),
          Fields.require("volumes[].target", target),
          Boolean.TRUE.equals(readOnly));
    }
  }
}
