package dev.cove.model;

import java.util.List;

/**
 * A folder of the host that a sandbox sees as if it could write there, and of which nothing changes
 * until somebody applies it. Callers know it as a project; here that word is for whose a sandbox
 * is.
 *
 * @param path on the host, absolute and without links
 * @param target the folder at which it appears, made where it is missing
 * @param readOnly for everybody inside, root included
 * @param hide patterns of what the sandbox must not see, besides the usual ones
 * @param show patterns of what it may see all the same
 */
public record Workspace(
    String path, String target, boolean readOnly, List<String> hide, List<String> show) {
  /** How many one sandbox may have. */
  public static final int MAX = 8;

  private static final int MAX_PATH = 2_048;
  private static final int MAX_PATTERNS = 100;
  private static final int MAX_PATTERN = 256;

  /** What is the host's itself, and what only holds the folders of many. */
  private static final List<String> SYSTEM =
      List.of(
          "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin",
          "/sys", "/usr");

  private static final List<String> SHARED =
      List.of(
          "/",
          "/home",
          "/media",
          "/mnt",
          "/opt",
          "/root",
          "/srv",
          "/tmp",
          "/var",
          "/var/lib",
          "/var/log",
          "/var/tmp");

  public Workspace {
    hide = List.copyOf(hide);
    show = List.copyOf(show);
    requirePath(path);
    MountTarget.require("a project", target);
    requirePatterns("hide", hide);
    requirePatterns("show", show);
  }

  /** Where a folder appears when nobody says where. */
  public static String usualTarget(String path) {
    return "/home/user/" + path.substring(path.lastIndexOf('/') + 1);
  }

  private static void requirePath(String path) {
    if (!path.startsWith("/") || path.length() > MAX_PATH) {
      throw new IllegalArgumentException(
          "The path of a project must be absolute and at most %d characters".formatted(MAX_PATH));
    }
    if (path.chars().anyMatch(Character::isISOControl)
        || path.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      throw new IllegalArgumentException(
          "The path of a project has control characters or is not valid Unicode");
    }
    if (SHARED.contains(path)
        || SYSTEM.stream().anyMatch(folder -> MountTarget.isAtOrBelow(path, folder))) {
      throw new IllegalArgumentException(
          "%s is no project: it is, or holds, the host's own files; name the folder of a project"
              .formatted(path));
    }
    for (String part : path.substring(1).split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw new IllegalArgumentException(
            "The path %s of a project must have no empty parts, . and ..".formatted(path));
      }
    }
  }

  private static void requirePatterns(String what, List<String> patterns) {
    if (patterns.size() > MAX_PATTERNS) {
      throw new IllegalArgumentException(
          "%s has %d patterns, at most %d are allowed"
              .formatted(what, patterns.size(), MAX_PATTERNS));
    }
    for (String pattern : patterns) {
      if (pattern.isBlank()
          || pattern.length() > MAX_PATTERN
          || pattern.startsWith("!")
          || pattern.chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException(
            "A pattern of %s must be 1 to %d characters, without control characters and without !"
                .formatted(what, MAX_PATTERN));
      }
    }
  }

  /** Refuses what one sandbox cannot have together. */
  static void requireTogether(List<Workspace> workspaces, List<VolumeMount> volumes) {
    if (workspaces.size() > MAX) {
      throw new IllegalArgumentException(
          "projects has %d entries, at most %d are allowed".formatted(workspaces.size(), MAX));
    }
    for (int i = 0; i < workspaces.size(); i++) {
      String target = workspaces.get(i).target();
      for (int j = 0; j < workspaces.size(); j++) {
        if (i != j) {
          requireApart(target, workspaces.get(j).target());
        }
      }
      volumes.forEach(volume -> requireApart(target, volume.target()));
    }
  }

  private static void requireApart(String one, String other) {
    if (MountTarget.isAtOrBelow(one, other) || MountTarget.isAtOrBelow(other, one)) {
      throw new IllegalArgumentException(
          "Two projects or volumes cannot be at %s and %s: one would lie in the other"
              .formatted(one, other));
    }
  }
}
