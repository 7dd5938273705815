package dev.cove.control.sandbox;

import dev.cove.control.volume.VolumeWish;
import dev.cove.model.Resources;
import dev.cove.model.Tier;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A wish for a sandbox.
 *
 * @param name its id when none is given
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
    Optional<String> idempotencyKey) {
  public CreateSandbox {
    env = Map.copyOf(env);
    labels = Map.copyOf(labels);
    volumes = List.copyOf(volumes);
  }
}
