package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.service.Service;
import dev.cove.control.usage.Budget;
import dev.cove.control.volume.VolumeWish;
import dev.cove.model.ResourceWish;
import dev.cove.model.Workspace;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A wish for a sandbox.
 *
 * @param name its id when none is given
 * @param workspaces folders of the host that it is to have
 * @param tier what is to hold it; whatever is usual when nothing is said
 * @param resources what it may use; what its template says, and the usual, where nothing is said
 * @param rules when its checkpoints come and go; as usual when nothing is said
 * @param network what it may reach; what its template says when nothing is said
 * @param group where others reach it by name, and it them
 * @param life what happens to it by itself
 * @param services what it is to have running; one of a name that its template has goes before that
 * @param budget how much it may use, where that is limited
 * @param idempotencyKey the same key with the same wish gives the same sandbox, for a day
 */
public record CreateSandbox(
    Optional<String> name,
    String template,
    TierWish tier,
    ResourceWish resources,
    Map<String, String> env,
    Map<String, String> labels,
    List<VolumeWish> volumes,
    List<Workspace> workspaces,
    Optional<CheckpointRules> rules,
    Optional<NetworkSettings> network,
    Optional<GroupMembership> group,
    LifeRules life,
    List<Service> services,
    Optional<Budget> budget,
    Optional<String> idempotencyKey) {
  public CreateSandbox {
    env = Map.copyOf(env);
    labels = Map.copyOf(labels);
    volumes = List.copyOf(volumes);
    workspaces = List.copyOf(workspaces);
    services = List.copyOf(services);
  }

  /** A wish for one that has no folders of the host. */
  public CreateSandbox(
      Optional<String> name,
      String template,
      TierWish tier,
      ResourceWish resources,
      Map<String, String> env,
      Map<String, String> labels,
      List<VolumeWish> volumes,
      Optional<CheckpointRules> rules,
      Optional<NetworkSettings> network,
      Optional<GroupMembership> group,
      LifeRules life,
      List<Service> services,
      Optional<Budget> budget,
      Optional<String> idempotencyKey) {
    this(
        name,
        template,
        tier,
        resources,
        env,
        labels,
        volumes,
        List.of(),
        rules,
        network,
        group,
        life,
        services,
        budget,
        idempotencyKey);
  }

  /** The same wish for a sandbox of that template. */
  public CreateSandbox withTemplate(String other) {
    return new CreateSandbox(
        name,
        other,
        tier,
        resources,
        env,
        labels,
        volumes,
        workspaces,
        rules,
        network,
        group,
        life,
        services,
        budget,
        idempotencyKey);
  }
}
