package dev.cove.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the host's own /proc says about the processes of one sandbox. */
final class HostView {
  private static final Path PROC = Path.of("/proc");

  /** One process, found by the cgroup that it is in. */
  record HostProcess(Path proc, Map<String, String> status) {
    String file(String name) throws IOException {
      return Files.readString(proc.resolve(name), StandardCharsets.ISO_8859_1);
    }

    /** A line of status, such as Seccomp. */
    String field(String name) {
      String value = status.get(name);
      if (value == null) {
        throw new IllegalStateException("status has no " + name);
      }
      return value;
    }

    long hex(String name) {
      return Long.parseUnsignedLong(field(name), 16);
    }

    List<String> descriptors() throws IOException {
      var targets = new ArrayList<String>();
      try (Stream<Path> links = Files.list(proc.resolve("fd"))) {
        for (Path link : links.toList()) {
          targets.add(Files.readSymbolicLink(link).toString());
        }
      }
      return targets;
    }
  }

  private HostView() {}

  static List<HostProcess> processesOf(String sandboxId) throws IOException {
    var found = new ArrayList<HostProcess>();
    try (Stream<Path> entries = Files.list(PROC)) {
      for (Path entry : entries.toList()) {
        if (Character.isDigit(entry.getFileName().toString().charAt(0)) && isIn(sandboxId, entry)) {
          found.add(new HostProcess(entry, status(entry)));
        }
      }
    }
    return found;
  }

  private static boolean isIn(String sandboxId, Path process) {
    try {
      return Files.readString(process.resolve("cgroup")).contains("/" + sandboxId);
    } catch (IOException e) {
      // It ended while we looked.
      return false;
    }
  }

  private static Map<String, String> status(Path process) throws IOException {
    var status = new HashMap<String, String>();
    for (String line : Files.readAllLines(process.resolve("status"))) {
      int colon = line.indexOf(':');
      status.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    return status;
  }

  /** Resident memory of a process, in bytes. */
  static long residentBytes(long pid) throws IOException {
    String size = status(PROC.resolve(String.valueOf(pid))).getOrDefault("VmRSS", "0 kB");
    return Long.parseLong(size.substring(0, size.indexOf(' '))) * 1024;
  }

  static long openFiles(long pid) throws IOException {
    try (Stream<Path> entries = Files.list(PROC.resolve(pid + "/fd"))) {
      return entries.count();
    }
  }
}
