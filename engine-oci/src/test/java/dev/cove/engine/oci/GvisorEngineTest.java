package dev.cove.engine.oci;

import dev.cove.testing.EngineUnderTest;
import dev.cove.testing.SandboxEngineContract;
import org.junit.jupiter.api.Tag;

/** Every sandbox of it takes some tenths of a second to start, so this takes minutes. */
@Tag("long")
class GvisorEngineTest extends SandboxEngineContract {
  @Override
  protected EngineUnderTest subject() {
    return new GvisorUnderTest(GvisorSettings.DEFAULT);
  }
}
