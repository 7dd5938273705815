package dev.cove.engine.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a kernel says of itself under /proc, /sys and /dev.
 *
 * @param root where those are; another than / for a machine that is only described
 */
record KernelFiles(Path root) {
  static final KernelFiles HERE = new KernelFiles(Path.of("/"));

  /** By lines: a number under /proc/sys gives all its digits only to the first, large read. */
  String read(String file) {
    try {
      return String.join("\n", Files.readAllLines(at(file))).strip();
    } catch (IOException e) {
      return ""; // this kernel has no such file
    }
  }

  boolean has(String file) {
    return Files.exists(at(file));
  }

  boolean isHere() {
    return equals(HERE);
  }

  private Path at(String file) {
    return root.resolve(file.substring(1));
  }
}
