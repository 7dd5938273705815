package dev.cove.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The file by which local clients find the server. It is there while the server is healthy. */
final class Announcement implements AutoCloseable {
  private final Path file;

  private Announcement(Path file) {
    this.file = file;
  }

  static Announcement publish(Path file, String url) {
    // Nothing in it needs escaping: the host was checked when the settings were read.
    String json =
        "{\"url\":\"%s\",\"pid\":%d,\"version\":\"%s\"}%n"
            .formatted(url, ProcessHandle.current().pid(), CoveVersion.CURRENT);
    try {
      Path fresh = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(fresh);
      try (var out =
          Files.newByteChannel(
              fresh,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        out.write(StandardCharsets.UTF_8.encode(json));
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new StartException("Cannot write %s (%s).".formatted(file, e), e);
    }
    return new Announcement(file);
  }

  /** Where a client on this machine reaches a server that listens there. */
  static String localUrl(String host, int port) {
    String reachable =
        switch (host) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::" -> "[::1]";
          default -> host.contains(":") ? "[" + host + "]" : host;
        };
    return "http://" + reachable + ":" + port;
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot remove " + file, e);
    }
  }
}
