package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.engine.container.CgroupsV1.Controller;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which cgroup hierarchies this host has.
 *
 * @param v1 where each controller of version 1 is mounted
 * @param v2 where version 2 is mounted
 * @param v2Controllers what version 2 can control there
 */
record CgroupLayout(Map<Controller, Path> v1, Optional<Path> v2, Set<String> v2Controllers) {
  private static final Set<String> NEEDED_ON_V2 = Set.of("memory", "cpu", "pids");

  CgroupLayout {
    v1 = Map.copyOf(v1);
    v2Controllers = Set.copyOf(v2Controllers);
  }

  static CgroupLayout read() {
    return read(KernelFiles.HERE);
  }

  static CgroupLayout read(KernelFiles files) {
    return read(files.read("/proc/self/mountinfo").lines().toList(), files);
  }

  /** Lines are: id parent device root mount-point options … - type source super-options. */
  static CgroupLayout read(List<String> mountInfo) {
    return read(mountInfo, KernelFiles.HERE);
  }

  private static CgroupLayout read(List<String> mountInfo, KernelFiles files) {
    var v1 = new EnumMap<Controller, Path>(Controller.class);
    Optional<Path> v2 = Optional.empty();
    for (String line : mountInfo) {
      String[] halves = line.split(" - ", 2);
      if (halves.length < 2) {
        continue;
      }
      Path mount = Path.of(halves[0].split(" ")[4]);
      String[] type = halves[1].split(" ");
      if (type[0].equals("cgroup2")) {
        v2 = Optional.of(mount);
      } else if (type[0].equals("cgroup")) {
        List<String> options = Arrays.asList(type[2].split(","));
        for (Controller controller : Controller.values()) {
          if (options.contains(controller.name().toLowerCase(Locale.ROOT))) {
            v1.put(controller, mount);
          }
        }
      }
    }
    return new CgroupLayout(v1, v2, v2.isPresent() ? controllers(v2.get(), files) : Set.of());
  }

  private static Set<String> controllers(Path mount, KernelFiles files) {
    String known = files.read(mount.resolve("cgroup.controllers").toString());
    return known.isEmpty() ? Set.of() : Set.of(known.split("\\s+"));
  }

  boolean isV2() {
    return v2Controllers.containsAll(NEEDED_ON_V2);
  }

  /** Empty when sandboxes can be limited; otherwise the controllers that are missing. */
  List<String> missing() {
    if (isV2()) {
      return List.of();
    }
    var missing = new ArrayList<String>();
    for (Controller controller : Controller.values()) {
      if (!v1.containsKey(controller)) {
        missing.add(controller.name().toLowerCase(Locale.ROOT));
      }
    }
    return missing;
  }

  /**
   * @param name of the home's own group in each hierarchy
   */
  Cgroups cgroups(String name) {
    if (isV2()) {
      return new CgroupsV2(v2.orElseThrow(), name);
    }
    if (!missing().isEmpty()) {
      throw new EngineException(
          "Sandboxes cannot be limited here: no cgroup controller for "
              + String.join(", ", missing())
              + ". Mount them under /sys/fs/cgroup");
    }
    return new CgroupsV1(v1, name);
  }

  String describe() {
    if (isV2()) {
      return "cgroup v2 with " + String.join(", ", v2Controllers.stream().sorted().toList());
    }
    return (v2.isPresent() ? "hybrid: " : "")
        + "cgroup v1 with "
        + String.join(
            ", ",
            v1.keySet().stream().map(c -> c.name().toLowerCase(Locale.ROOT)).sorted().toList());
  }
}
