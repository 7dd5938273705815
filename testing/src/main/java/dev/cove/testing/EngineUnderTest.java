package dev.cove.testing;

import dev.cove.engine.Engine;
import dev.cove.engine.Store;
import java.nio.file.Path;
import java.util.Map;

/** What the contract must know of an engine beyond its interface. */
public interface EngineUnderTest {
  /** Opens an engine that keeps everything below {@code home}; may be called again for it. */
  Engine open(Path home) throws Exception;

  /** What the cages of an engine that this opened stand on. */
  Store store(Engine engine);

  /**
   * Tests of the contract that this engine is known not to pass, by the names of their methods, and
   * why. They must fail: one that passes is no difference any more.
   */
  default Map<String, String> differences() {
    return Map.of();
  }

  /** Ends, with SIGKILL, the processes that the engine object itself needs, if it has any. */
  void killHelpers(Engine engine) throws Exception;
}
