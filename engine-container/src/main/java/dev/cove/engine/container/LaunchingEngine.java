package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Cages of the container engine in which a {@link Launcher} brings the agent up. */
final class LaunchingEngine implements Engine {
  private final ContainerEngine containers;
  private final CageBuilding building;
  private final Tier tier;
  private final Optional<Launcher> launcher;
  private final UnaryOperator<EngineReport> report;

  LaunchingEngine(
      ContainerEngine containers,
      CageBuilding building,
      Tier tier,
      Launcher launcher,
      UnaryOperator<EngineReport> report) {
    this.containers = containers;
    this.building = building;
    this.tier = tier;
    this.launcher = Optional.of(launcher);
    this.report = report;
  }

  @Override
  public Tier tier() {
    return tier;
  }

  @Override
  public EngineReport report() {
    return report.apply(containers.report());
  }

  @Override
  public Cage start(CagePlan plan) {
    return building.start(plan, launcher);
  }

  @Override
  public Cage restart(CagePlan plan) {
    return building.restart(plan, launcher);
  }

  @Override
  public Optional<Cage> adopt(SandboxId id) {
    return building.adopt(id, false, launcher);
  }

  @Override
  public Optional<Cage> adoptPaused(SandboxId id) {
    return building.adopt(id, true, launcher);
  }

  @Override
  public void onEnd(EndListener listener) {
    containers.onEnd(listener);
  }

  @Override
  public Optional<RootFs> halt(SandboxId id) {
    return containers.halt(id);
  }

  @Override
  public Set<SandboxId> present() {
    return containers.present();
  }

  @Override
  public void remove(SandboxId id) {
    containers.remove(id);
  }

  @Override
  public long diskBytes(SandboxId id) {
    return containers.diskBytes(id);
  }

  /** The container engine has all that could be closed. */
  @Override
  public void close() {}
}
