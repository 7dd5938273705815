package dev.cove.engine.container;

/**
 * How the engine works, where there is a choice.
 *
 * @param netNamespacePool network namespaces kept ready; each holds about 60 KiB of kernel memory
 * @param spareImages disk images of the default size kept ready; each holds about 150 KiB of kernel
 *     memory and as much disk
 * @param favorCgroupMoves mounts an empty cgroup v1 hierarchy with {@code favordynmods}, which
 *     makes moving a process into a cgroup cheap on the whole host, and forking slightly dearer
 * @param diskImages false: the writable layer is a plain folder, without a limit
 */
public record EngineSettings(
    int netNamespacePool, int spareImages, boolean favorCgroupMoves, boolean diskImages) {
  public static final EngineSettings DEFAULT = new EngineSettings(16, 16, true, true);

  public EngineSettings {
    requireBetween("netNamespacePool", netNamespacePool, 256);
    requireBetween("spareImages", spareImages, 64);
  }

  private static void requireBetween(String name, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "%s must be between 0 and %d, was %d".formatted(name, max, value));
    }
  }
}
