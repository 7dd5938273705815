package dev.cove.model;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Where in a sandbox something may be mounted. */
final class MountTarget {
  private static final int MAX = 1_024;
  private static final int MAX_PART = 255;
  private static final List<String> KERNEL_FOLDERS = List.of("/proc", "/sys", "/dev");

  private MountTarget() {}

  /**
   * @param of what is to be mounted, as part of a sentence
   */
  static void require(String of, String target) {
    if (!target.startsWith("/") || target.length() > MAX) {
      throw refused(of, target, "is not an absolute path of at most " + MAX + " characters");
    }
    if (target.chars().anyMatch(Character::isISOControl)
        || target.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      throw new IllegalArgumentException(
          "The target of %s has characters that no path may have".formatted(of));
    }
    for (String part : target.substring(1).split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw refused(of, target, "must name a folder, without empty parts, . and ..");
      }
      if (part.getBytes(StandardCharsets.UTF_8).length > MAX_PART) {
        throw refused(of, target, "has a part that is longer than " + MAX_PART + " bytes");
      }
    }
    for (String folder : KERNEL_FOLDERS) {
      if (isAtOrBelow(target, folder)) {
        throw refused(of, target, "lies in " + folder + ", which is the kernel's");
      }
    }
  }

  private static IllegalArgumentException refused(String of, String target, String why) {
    String shown = target.length() > 100 ? target.substring(0, 100) + "…" : target;
    return new IllegalArgumentException("The target %s of %s %s".formatted(shown, of, why));
  }

  static boolean isAtOrBelow(String path, String folder) {
    return path.equals(folder) || path.startsWith(folder + "/");
  }
}
