package dev.cove.engine.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process that no other can be mistaken for until the next boot.
 *
 * @param startTime in clock ticks since boot, as {@code /proc/<pid>/stat} says
 */
record ProcessKey(int pid, long startTime) {
  private static final int START_TIME = 19; // counted from behind the name
  private static final String ENDED = "ZXx";

  /** Whether it is there and not a zombie that nobody has buried yet. */
  boolean runs() {
    try {
      String stat = Files.readString(Path.of("/proc/%d/stat".formatted(pid)));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return Long.parseLong(fields[START_TIME]) == startTime && !ENDED.contains(fields[0]);
    } catch (IOException e) {
      return false;
    }
  }
}
