package dev.cove.engine.container;

import java.util.List;

/**
 * How the engine works, where there is a choice.
 *
 * @param netNamespacePool network namespaces kept ready; each holds about 60 KiB of kernel memory
 * @param spareImages disk images of the default size kept ready; each holds about 150 KiB of kernel
 *     memory and as much disk
 * @param favorCgroupMoves mounts an empty cgroup v1 hierarchy with {@code favordynmods}, which
 *     makes moving a process into a cgroup cheap on the whole host, and forking slightly dearer
 * @param diskImages false: the writable layer is a plain folder, without a limit
 * @param devices nodes of the host below /dev that every sandbox has, for everybody in it
 */
public record EngineSettings(
    int netNamespacePool,
    int spareImages,
    boolean favorCgroupMoves,
    boolean diskImages,
    List<String> devices) {
  public static final EngineSettings DEFAULT = new EngineSettings(16, 16, true, true);

  /** How many devices there may be. */
  public static final int MAX_DEVICES = 32;

  public EngineSettings {
    requireBetween("netNamespacePool", netNamespacePool, 256);
    requireBetween("spareImages", spareImages, 64);
    devices = List.copyOf(devices);
    requireBetween("devices", devices.size(), MAX_DEVICES);
  }

  /** Without devices. */
  public EngineSettings(
      int netNamespacePool, int spareImages, boolean favorCgroupMoves, boolean diskImages) {
    this(netNamespacePool, spareImages, favorCgroupMoves, diskImages, List.of());
  }

  public EngineSettings withDevices(List<String> nodes) {
    return new EngineSettings(netNamespacePool, spareImages, favorCgroupMoves, diskImages, nodes);
  }

  private static void requireBetween(String name, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "%s must be between 0 and %d, was %d".formatted(name, max, value));
    }
  }
}
