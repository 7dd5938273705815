package dev.cove.engine.oci;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.engine.container.EngineHome;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import dev.cove.testing.EngineUnderTest;
import dev.cove.testing.HostTraces;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The gVisor tier over a container engine of its own. */
final class GvisorUnderTest implements EngineUnderTest {
  private final GvisorSettings settings;

  GvisorUnderTest(GvisorSettings settings) {
    this.settings = settings;
  }

  @Override
  public Engine open(Path home) {
    var containers =
        ContainerEngine.open(new EngineHome(home.resolve("data"), home.resolve("run")));
    return new WithContainers(containers, OciEngine.gvisor(containers, settings));
  }

  @Override
  public Store store(Engine engine) {
    return ((WithContainers) engine).containers.store();
  }

  @Override
  public Map<String, String> differences() {
    return GvisorDifferences.ALL;
  }

  @Override
  public void killHelpers(Engine engine) throws InterruptedException {
    var spawner =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().command().orElse("").contains("/cove-spawner"))
            .findFirst()
            .orElseThrow();
    spawner.destroyForcibly();
    HostTraces.eventually("the spawner ends", () -> !spawner.isAlive());
  }

  /** Closes the engine below with the one above. */
  private record WithContainers(ContainerEngine containers, Engine gvisor) implements Engine {
    @Override
    public Tier tier() {
      return gvisor.tier();
    }

    @Override
    public void onEnd(EndListener listener) {
      gvisor.onEnd(listener);
    }

    @Override
    public EngineReport report() {
      return gvisor.report();
    }

    @Override
    public Cage start(CagePlan plan) {
      return gvisor.start(plan);
    }

    @Override
    public Optional<Cage> adopt(SandboxId id) {
      return gvisor.adopt(id);
    }

    @Override
    public Optional<Cage> adoptPaused(SandboxId id) {
      return gvisor.adoptPaused(id);
    }

    @Override
    public Optional<RootFs> halt(SandboxId id) {
      return gvisor.halt(id);
    }

    @Override
    public Cage restart(CagePlan plan) {
      return gvisor.restart(plan);
    }

    @Override
    public Set<SandboxId> present() {
      return gvisor.present();
    }

    @Override
    public void remove(SandboxId id) {
      gvisor.remove(id);
    }

    @Override
    public long diskBytes(SandboxId id) {
      return gvisor.diskBytes(id);
    }

    @Override
    public void close() {
      gvisor.close();
      containers.close();
    }
  }
}
