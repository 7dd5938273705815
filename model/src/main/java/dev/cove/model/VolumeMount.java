package dev.cove.model;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;

/**
 * A volume as a sandbox sees it.
 *
 * @param target the folder at which it appears, made where it is missing
 * @param readOnly for everybody inside, root included
 */
public record VolumeMount(VolumeId volume, String target, boolean readOnly) {
  /** How many volumes one sandbox may have. */
  public static final int MAX = 8;

  private static final int MAX_TARGET = 1_024;
  private static final int MAX_PART = 255;
  private static final List<String> KERNEL_FOLDERS = List.of("/proc", "/sys", "/dev");

  public VolumeMount {
    requireTarget(target);
  }

  private static void requireTarget(String target) {
    if (!target.startsWith("/") || target.length() > MAX_TARGET) {
      throw refused(target, "is not an absolute path of at most " + MAX_TARGET + " characters");
    }
    if (target.chars().anyMatch(Character::isISOControl)
        || target.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      throw new IllegalArgumentException("A volume's target has characters that no path may have");
    }
    for (String part : target.substring(1).split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw refused(target, "must name a folder, without empty parts, . and ..");
      }
      if (part.getBytes(StandardCharsets.UTF_8).length > MAX_PART) {
        throw refused(target, "has a part that is longer than " + MAX_PART + " bytes");
      }
    }
    for (String folder : KERNEL_FOLDERS) {
      if (isAtOrBelow(target, folder)) {
        throw refused(target, "lies in " + folder + ", which is the kernel's");
      }
    }
  }

  private static IllegalArgumentException refused(String target, String why) {
    String shown = target.length() > 100 ? target.substring(0, 100) + "…" : target;
    return new IllegalArgumentException("The target %s of a volume %s".formatted(shown, why));
  }

  private static boolean isAtOrBelow(String path, String folder) {
    return path.equals(folder) || path.startsWith(folder + "/");
  }

  /** Refuses mounts that one sandbox cannot have together. */
  public static void requireTogether(List<VolumeMount> mounts) {
    if (mounts.size() > MAX) {
      throw new IllegalArgumentException(
          "volumes has %d entries, at most %d are allowed".formatted(mounts.size(), MAX));
    }
    var seen = new HashSet<VolumeId>();
    for (VolumeMount mount : mounts) {
      if (!seen.add(mount.volume())) {
        throw new IllegalArgumentException(
            "volumes names the volume %s twice".formatted(mount.volume()));
      }
      for (VolumeMount other : mounts) {
        if (!other.equals(mount) && isAtOrBelow(mount.target(), other.target())) {
          throw new IllegalArgumentException(
              "Two volumes cannot be at %s and %s: one would lie in the other"
                  .formatted(other.target(), mount.target()));
        }
      }
    }
  }
}
