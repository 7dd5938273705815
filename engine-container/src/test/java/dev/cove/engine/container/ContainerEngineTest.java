package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.CageExit;
import dev.cove.engine.CagePlan;
import dev.cove.engine.RootFs;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.HostRoot;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerEngineTest {
  private static final Resources SMALL = new Resources(1_000, 128, 64, 64);

  @TempDir Path folder;
  private ContainerEngine engine;
  private RootFs root;

  @BeforeEach
  void open() throws Exception {
    root = HostRoot.in(folder.resolve("root"));
    engine =
        ContainerEngine.open(
            new EngineHome(folder.resolve("data"), folder.resolve("run")),
            EngineSettings.DEFAULT,
            TestInit.compile(folder));
  }

  @AfterEach
  void close() {
    engine.present().forEach(engine::remove);
    engine.close();
  }

  private CagePlan plan() {
    return new CagePlan(SandboxId.random(), root, SMALL);
  }

  @Test
  void a_cage_runs_commands_and_leaves_nothing_when_destroyed() throws Exception {
    var plan = plan();
    var cage = engine.start(plan);
    assertThat(TestInit.asRoot(cage, "hostname; id -u")).isEqualTo(plan.id() + "\n0\n");
    assertThat(engine.present()).containsExactly(plan.id());

    cage.destroy();
    assertThat(engine.present()).isEmpty();
    assertThat(cage.exit().get(1, TimeUnit.SECONDS)).isEqualTo(CageExit.DESTROYED);
    assertThat(folder.resolve("data/engine/sandboxes")).isEmptyDirectory();
  }
}
