package dev.cove.node;

import dev.cove.engine.Engine;
import dev.cove.engine.EngineReport;
import dev.cove.engine.Store;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The engines of this machine, one for each tier, over one store.
 *
 * <p>Engines may keep their cages in the same folders. Whoever knows the tier of a sandbox asks its
 * engine; what nobody knows is looked for in all of them.
 */
public final class Engines implements AutoCloseable {
  private final Store store;
  private final List<Engine> engines;
  private final Map<Tier, Held> byTier = new EnumMap<>(Tier.class);

  private record Held(Engine engine, EngineReport report) {}

  /**
   * @param engines in the order in which they were opened, one for the container tier among them
   */
  public Engines(Store store, List<Engine> engines) {
    this.store = store;
    this.engines = List.copyOf(engines);
    for (Engine engine : engines) {
      if (byTier.put(engine.tier(), new Held(engine, engine.report())) != null) {
        throw new IllegalArgumentException("Two engines for " + engine.tier().publicName());
      }
    }
  }

  Store store() {
    return store;
  }

  /** What each tier is here, the cheapest first. */
  Map<Tier, EngineReport> reports() {
    var reports = new EnumMap<Tier, EngineReport>(Tier.class);
    byTier.forEach((tier, held) -> reports.put(tier, held.report()));
    return Collections.unmodifiableMap(reports);
  }

  /** The engine for what Cove itself needs cages for, in which nobody's programs run. */
  Engine own() {
    return of(Tier.CONTAINER);
  }

  EngineReport ownReport() {
    return report(Tier.CONTAINER);
  }

  /**
   * @throws CoveException TIER_UNAVAILABLE where this machine has no such engine
   */
  Engine of(Tier tier) {
    return held(tier).engine();
  }

  EngineReport report(Tier tier) {
    return held(tier).report();
  }

  private Held held(Tier tier) {
    Held held = byTier.get(tier);
    if (held == null) {
      throw new CoveException(
          ErrorCode.TIER_UNAVAILABLE,
          "This host does not offer the tier %s".formatted(tier.publicName()));
    }
    return held;
  }

  /**
   * @throws CoveException TIER_UNAVAILABLE, with what is missing, where no sandbox of it can run
   */
  void requireUsable(Tier tier) {
    EngineReport report = report(tier);
    if (!report.usable()) {
      throw new CoveException(
          ErrorCode.TIER_UNAVAILABLE,
          "This host cannot run sandboxes of the tier %s (%s); cove doctor says more"
              .formatted(tier.publicName(), report.obstacles()));
    }
  }

  void onEnd(Engine.EndListener listener) {
    engines.forEach(engine -> engine.onEnd(listener));
  }

  Set<SandboxId> present() {
    var present = new HashSet<SandboxId>();
    engines.forEach(engine -> present.addAll(engine.present()));
    return present;
  }

  /** Removes what any engine has of a sandbox. */
  void remove(SandboxId id) {
    engines.forEach(engine -> engine.remove(id));
  }

  long diskBytes(SandboxId id) {
    return engines.stream().mapToLong(engine -> engine.diskBytes(id)).max().orElse(0);
  }

  /** Those that were opened last stand on those that were opened first. */
  @Override
  public void close() {
    engines.reversed().forEach(Engine::close);
  }
}
