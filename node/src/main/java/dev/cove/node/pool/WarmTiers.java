package dev.cove.node.pool;

import dev.cove.engine.EngineReport;
import dev.cove.model.Tier;
import dev.cove.node.supervisor.SandboxSupervisor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * {@link WarmCages} of each tier. Those of the container tier are there from the beginning; a
 * stronger tier, whose cages take memory, keeps some ready from its first use on.
 */
public final class WarmTiers implements AutoCloseable {
  private final Map<Tier, WarmCages> pools = new EnumMap<>(Tier.class);

  /**
   * @param sizes how many stand ready; none of what is not named
   */
  public WarmTiers(
      Map<Tier, Integer> sizes,
      Map<Tier, EngineReport> engines,
      Function<Tier, SandboxSupervisor> builder) {
    engines.forEach((tier, report) -> {
      int size = report.usable() ? sizes.getOrDefault(tier, 0) : 0;
      if (size > 0) {
        pools.put(tier, new WarmCages(size, () -> builder.apply(tier)));
      }
    });
  }

  public void start() {
    WarmCages first = pools.get(Tier.CONTAINER);
    if (first != null) {
      first.start();
    }
  }

  /** A warm cage of the tier that lives, if there is one. */
  public Optional<SandboxSupervisor> take(Tier tier) {
    WarmCages pool = pools.get(tier);
    if (pool == null) {
      return Optional.empty();
    }
    pool.start();
    return pool.take();
  }

  public int count() {
    return pools.values().stream().mapToInt(WarmCages::count).sum();
  }

  @Override
  public void close() {
    pools.values().forEach(WarmCages::close);
  }
}
