package dev.cove.control.build;

import java.util.ArrayDeque;
import java.util.Deque;

/** Names inside a sandbox, by their text alone. */
final class GuestPaths {
  private GuestPaths() {}

  /** The path as seen from a folder; absolute and without dots. */
  static String resolve(String folder, String path) {
    Deque<String> parts = new ArrayDeque<>();
    String all = path.startsWith("/") ? path : folder + "/" + path;
    for (String part : all.split("/")) {
      if (part.equals("..")) {
        parts.pollLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.addLast(part);
      }
    }
    return "/" + String.join("/", parts);
  }
}
