package dev.cove.testing;

import dev.cove.engine.Engine;
import java.nio.file.Path;

/** What the contract must know of an engine beyond its interface. */
public interface EngineUnderTest {
  /** Opens an engine that keeps everything below {@code home}; may be called again for it. */
  Engine open(Path home) throws Exception;

  /** Ends, with SIGKILL, the processes that the engine object itself needs, if it has any. */
  void killHelpers(Engine engine) throws Exception;
}
