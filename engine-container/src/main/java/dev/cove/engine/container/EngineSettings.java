package dev.cove.engine.container;

/**
 * How the engine works, where there is a choice.
 *
 * @param netNamespacePool network namespaces kept ready; each holds about 60 KiB of kernel memory
 * @param favorCgroupMoves mounts an empty cgroup v1 hierarchy with {@code favordynmods}, which
 *     makes moving a process into a cgroup cheap on the whole host, and forking slightly dearer
 * @param diskImages false: the writable layer is a plain folder, without a limit
 */
public record EngineSettings(int netNamespacePool, boolean favorCgroupMoves, boolean diskImages) {
  public static final EngineSettings DEFAULT = new EngineSettings(16, true, true);

  public EngineSettings {
    if (netNamespacePool < 0 || netNamespacePool > 256) {
      throw new IllegalArgumentException(
          "netNamespacePool must be between 0 and 256, was " + netNamespacePool);
    }
  }
}
