package dev.cove.control.build;

import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.model.ResourceWish;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A wish for a template.
 *
 * @param tags {@code latest} when there are none
 * @param env variables beside those that the plan brings
 * @param user instead of the plan's
 * @param cwd instead of the plan's
 * @param network what its sandboxes may reach; the plan's when nothing is said
 * @param life what happens to its sandboxes by themselves
 * @param limits how much they may use; as its base says where nothing is said
 */
public record BuildRequest(
    String name,
    List<String> tags,
    BuildPlan plan,
    Map<String, String> env,
    Optional<String> user,
    Optional<String> cwd,
    Service service,
    Optional<NetworkSettings> network,
    LifeRules life,
    ResourceWish limits) {
  public BuildRequest {
    tags = List.copyOf(tags);
    env = Map.copyOf(env);
  }

  /** What the plan brings, with what the caller wants instead. */
  Settings over(Settings planned) {
    Settings settings = planned.withEnv(env);
    settings = user.map(settings::withUser).orElse(settings);
    settings = cwd.map(settings::withCwd).orElse(settings);
    settings = network.map(settings::withNetwork).orElse(settings);
    return settings.withLife(life).withLimits(limits);
  }

  public static BuildRequest of(String name, List<String> tags, BuildPlan plan) {
    return new BuildRequest(
        name,
        tags,
        plan,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        Service.NONE,
        Optional.empty(),
        LifeRules.SILENT,
        ResourceWish.NOTHING);
  }

  public BuildRequest with(
      Optional<NetworkSettings> newNetwork, LifeRules newLife, ResourceWish newLimits) {
    return new BuildRequest(
        name, tags, plan, env, user, cwd, service, newNetwork, newLife, newLimits);
  }
}
