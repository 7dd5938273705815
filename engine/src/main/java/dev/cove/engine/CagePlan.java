package dev.cove.engine;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.VolumeMount;
import java.util.List;

/**
 * All an engine needs to build a cage.
 *
 * <p>The sandbox's id is its host name; the engine sees to it that /etc/hostname says so, that
 * /etc/hosts names it beside localhost, that /etc/machine-id is a fresh random one, and that
 * /etc/resolv.conf names the gateway of its network.
 */
public record CagePlan(SandboxId id, RootFs root, Resources resources, List<VolumeMount> volumes) {
  public CagePlan {
    volumes = List.copyOf(volumes);
    VolumeMount.requireTogether(volumes);
  }

  public CagePlan(SandboxId id, RootFs root, Resources resources) {
    this(id, root, resources, List.of());
  }
}
