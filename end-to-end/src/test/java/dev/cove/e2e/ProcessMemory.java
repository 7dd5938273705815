package dev.cove.e2e;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** All that some processes have in memory, as the host sees it. */
final class ProcessMemory {
  private static final int PIECE = 1 << 20;

  private final List<Long> pids;

  ProcessMemory(List<Long> pids) {
    this.pids = pids;
  }

  boolean holds(String text) throws IOException {
    for (long pid : pids) {
      if (holds(pid, text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(long pid, String text) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    try (var memory = new RandomAccessFile(process.resolve("mem").toFile(), "r")) {
      for (String line : Files.readAllLines(process.resolve("maps"))) {
        String[] words = line.split(" ", 3);
        String[] range = words[0].split("-");
        if (words[1].startsWith("r")
            && !line.endsWith("[vvar]")
            && holds(memory, parse(range[0]), parse(range[1]), text)) {
          return true;
        }
      }
    }
    return false;
  }

  private static long parse(String hex) {
    return Long.parseUnsignedLong(hex, 16);
  }

  private static boolean holds(RandomAccessFile memory, long from, long to, String text) {
    String tail = "";
    byte[] piece = new byte[PIECE];
    for (long at = from; at >= 0 && at < to; at += PIECE) {
      int length = (int) Math.min(PIECE, to - at);
      try {
        memory.seek(at);
        memory.readFully(piece, 0, length);
      } catch (IOException e) {
        return false; // such as what the kernel keeps to itself
      }
      String now = tail + new String(piece, 0, length, StandardCharsets.ISO_8859_1);
      if (now.contains(text)) {
        return true;
      }
      tail = now.substring(Math.max(0, now.length() - text.length()));
    }
    return false;
  }
}
