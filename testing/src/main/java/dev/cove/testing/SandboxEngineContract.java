package dev.cove.testing;

import org.junit.jupiter.api.Nested;

/**
 * What every engine promises. An engine's tests extend this class and say how it is opened; the
 * parts are what is seen from inside, what holds a sandbox back, and its life.
 */
public abstract class SandboxEngineContract {
  protected abstract EngineUnderTest subject();

  @Nested
  class Isolation extends IsolationContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class SystemCalls extends SystemCallContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Limits extends LimitsContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Lifecycle extends LifecycleContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Rest extends RestContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Network extends NetworkContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Volumes extends VolumesContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Layers extends SealingContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }

  @Nested
  class Workspaces extends WorkspacesContract {
    @Override
    EngineUnderTest subject() {
      return SandboxEngineContract.this.subject();
    }
  }
}
