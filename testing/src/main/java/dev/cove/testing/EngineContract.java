package dev.cove.testing;

import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the parts of {@link SandboxEngineContract} share: one engine and a root file system. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(KnownDifferences.class)
abstract class EngineContract {
  static final Resources SMALL = new Resources(2_000, 256, 64, 64);

  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init") // by JUnit, before all tests
  Path home;

  @SuppressWarnings("NullAway.Init")
  RootFs root;

  @SuppressWarnings("NullAway.Init")
  private Engine engine;

  abstract EngineUnderTest subject();

  @BeforeAll
  void open(@TempDir Path temporary) throws Exception {
    folder = temporary;
    home = Files.createDirectory(folder.resolve("home"));
    root = HostRoot.in(folder.resolve("root"));
    Path programs = Files.createDirectory(folder.resolve("root/opt"));
    SyscallProbe.compile(programs.resolve("syscall-probe"));
    engine = subject().open(home);
  }

  @AfterAll
  void close() {
    engine.present().forEach(engine::remove);
    engine.close();
  }

  final Engine engine() {
    return engine;
  }

  final Store store() {
    return subject().store(engine);
  }

  /** For tests that replace the engine object by another one on the same home. */
  final void engine(Engine other) {
    engine = other;
  }

  final CagePlan plan() {
    return plan(SMALL);
  }

  final CagePlan plan(Resources resources) {
    return new CagePlan(SandboxId.random(), root, resources);
  }

  final Box box() throws IOException {
    return box(SMALL);
  }

  final Box box(Resources resources) throws IOException {
    return Box.of(engine.start(plan(resources)));
  }
}
