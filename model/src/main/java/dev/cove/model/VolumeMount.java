package dev.cove.model;

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

  public VolumeMount {
    MountTarget.require("a volume", target);
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
        if (!other.equals(mount) && MountTarget.isAtOrBelow(mount.target(), other.target())) {
          throw new IllegalArgumentException(
              "Two volumes cannot be at %s and %s: one would lie in the other"
                  .formatted(other.target(), mount.target()));
        }
      }
    }
  }
}
