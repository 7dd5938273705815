package dev.cove.server;

import dev.cove.engine.container.EngineSettings;
import dev.cove.engine.oci.GvisorSettings;
import dev.cove.model.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the operator says about tiers.
 *
 * @param usual which one sandboxes get when neither they nor their project name one
 * @param warmCages how many cages of each stand ready
 * @param gvisor how the gVisor tier is made
 * @param devices nodes of the host that every sandbox of the container tier has
 */
record TierConfig(
    Tier usual, Map<Tier, Integer> warmCages, GvisorSettings gvisor, List<String> devices) {
  private static final String USUAL = "COVE_TIER";
  private static final String RUNSC = "COVE_RUNSC";
  private static final String DEVICES = "COVE_DEVICES";

  /** No part may be . or .., and none is one that every sandbox has already. */
  private static final Pattern DEVICE =
      Pattern.compile(
          "/dev/(?!(null|zero|full|random|urandom|tty|ptmx|fd|stdin|stdout|stderr|pts|shm|cove)(/|$))"
              + "[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

  /** Bits of a file's mode that say what it is, and two of the values. */
  private static final int TYPE = 0170000;

  private static final int CHARACTERS = 0020000;
  private static final int BLOCKS = 0060000;

  private static final String PLATFORM = "COVE_GVISOR_PLATFORM";

  TierConfig {
    warmCages = Map.copyOf(warmCages);
    devices = List.copyOf(devices);
  }

  /**
   * @param containers how many cages of the container tier stand ready
   * @param stronger how many of each of the others, from its first use on
   */
  static TierConfig read(
      Map<String, String> environment, int containers, int stronger, List<String> faults) {
    var warm = new EnumMap<Tier, Integer>(Tier.class);
    for (Tier tier : Tier.values()) {
      warm.put(tier, tier == Tier.CONTAINER ? containers : stronger);
    }
    // A machine is made by going on with one that has booted, whatever its template.
    warm.put(Tier.MICROVM, 0);
    String name = environment.getOrDefault(USUAL, "");
    Optional<Tier> usual = Tier.find(name.isEmpty() ? Tier.CONTAINER.publicName() : name);
    if (usual.isEmpty()) {
      faults.add(
          "%s must be one of %s"
              .formatted(
                  USUAL,
                  Arrays.stream(Tier.values())
                      .map(Tier::publicName)
                      .collect(Collectors.joining(", "))));
    }
    return new TierConfig(
        usual.orElse(Tier.CONTAINER),
        warm,
        gvisor(environment, faults),
        devices(environment, faults));
  }

  /** They must be there, and be devices: a name that leads elsewhere is a mistake. */
  private static List<String> devices(Map<String, String> environment, List<String> faults) {
    List<String> names =
        Arrays.stream(environment.getOrDefault(DEVICES, "").split(","))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .distinct()
            .toList();
    for (String name : names) {
      if (!DEVICE.matcher(name).matches() || !isDevice(Path.of(name))) {
        faults.add("%s has %s, which is no device below /dev here".formatted(DEVICES, name));
      }
    }
    if (names.size() > EngineSettings.MAX_DEVICES) {
      faults.add("%s may have %d devices".formatted(DEVICES, EngineSettings.MAX_DEVICES));
    }
    return names;
  }

  private static boolean isDevice(Path path) {
    try {
      int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return (mode & TYPE) == CHARACTERS || (mode & TYPE) == BLOCKS;
    } catch (IOException e) {
      return false;
    }
  }

  private static GvisorSettings gvisor(Map<String, String> environment, List<String> faults) {
    String runtime = environment.getOrDefault(RUNSC, "");
    if (runtime.indexOf('/') > 0) {
      faults.add(RUNSC + " must be the name of a program, or its whole path");
      return GvisorSettings.DEFAULT;
    }
    String platform = environment.getOrDefault(PLATFORM, "");
    if (!platform.isEmpty() && !GvisorSettings.PLATFORMS.contains(platform)) {
      faults.add(PLATFORM + " must be systrap, ptrace or kvm");
      return GvisorSettings.DEFAULT;
    }
    return new GvisorSettings(
        runtime.isEmpty() ? GvisorSettings.DEFAULT.runtime() : runtime,
        Optional.of(platform).filter(name -> !name.isEmpty()));
  }
}
