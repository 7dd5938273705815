package dev.cove.engine.container;

import dev.cove.engine.Engine;
import dev.cove.engine.Store;
import dev.cove.testing.EngineUnderTest;
import dev.cove.testing.HostTraces;
import dev.cove.testing.SandboxEngineContract;
import java.nio.file.Path;

class ContainerEngineTest extends SandboxEngineContract {
  @Override
  protected EngineUnderTest subject() {
    return new EngineUnderTest() {
      @Override
      public Engine open(Path home) {
        return ContainerEngine.open(new EngineHome(home.resolve("data"), home.resolve("run")));
      }

      @Override
      public Store store(Engine engine) {
        return ((ContainerEngine) engine).store();
      }

      @Override
      public void killHelpers(Engine engine) throws InterruptedException {
        var spawner = ProcessHandle.of(((ContainerEngine) engine).spawnerPid()).orElseThrow();
        spawner.destroyForcibly();
        HostTraces.eventually("the spawner ends", () -> !spawner.isAlive());
      }
    };
  }
}
