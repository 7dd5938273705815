package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.service.Service;
import dev.cove.control.usage.Budget;
import dev.cove.control.volume.VolumeWish;
import dev.cove.model.Resources;
import dev.cove.model.Tier;
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
    Tier tier,
    Resources resources,
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
  public CreateSandbox {
    env = Map.copyOf(env);
    labels = Map.copyOf(labels);
    volumes = List.copyOf(volumes);
    services = List.copyOf(services);
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
        rules,
        network,
        group,
        life,
        services,
        budget,
        idempotencyKey);
  }
}
