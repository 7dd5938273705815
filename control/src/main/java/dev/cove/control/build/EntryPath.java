package dev.cove.control.build;

import java.util.ArrayList;

/** Names of archive entries, sources and targets, in one plain form: {@code a/b/c}. */
final class EntryPath {
  static final int MAX_NAME = 4_096;

  /** No file system of Linux has longer ones. */
  static final int MAX_PART = 255;

  private EntryPath() {}

  /**
   * @param what begins the message if it is refused
   * @return empty for the root
   */
  static String require(String what, String written) {
    String refused = what + " '" + Expansion.shown(written) + "' ";
    if (written.length() > MAX_NAME) {
      throw new BuildException(refused + "has more than %d characters".formatted(MAX_NAME));
    }
    if (written.startsWith("/")) {
      throw new BuildException(refused + "is absolute");
    }
    if (written.indexOf('\0') >= 0 || written.indexOf('\uFFFD') >= 0) {
      throw new BuildException(refused + "is not UTF-8 text");
    }
    for (String part : written.split("/")) {
      if (part.equals("..")) {
        throw new BuildException(refused + "holds '..'");
      }
      if (part.length() > MAX_PART) {
        throw new BuildException(
            refused + "has a part of more than %d characters".formatted(MAX_PART));
      }
    }
    return clean(written);
  }

  /** Without empty parts, {@code .} and {@code ..}; the root has no parent but itself. */
  static String clean(String written) {
    var parts = new ArrayList<String>();
    for (String part : written.split("/")) {
      if (part.equals("..")) {
        if (!parts.isEmpty()) {
          parts.removeLast();
        }
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }

  /** A path as written in a folder, seen from the root and clean. */
  static String resolve(String folder, String written) {
    return clean(written.startsWith("/") ? written : folder + "/" + written);
  }

  static String join(String folder, String name) {
    return folder.isEmpty() ? name : name.isEmpty() ? folder : folder + "/" + name;
  }

  /** Empty for what lies in the root. */
  static String parent(String name) {
    return name.substring(0, Math.max(name.lastIndexOf('/'), 0));
  }

  static String base(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
