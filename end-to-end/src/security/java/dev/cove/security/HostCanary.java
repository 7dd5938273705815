package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A file on the host, outside every sandbox, that nobody inside may read, change or notice. */
final class HostCanary implements AutoCloseable {
  private static final String WATCHED = "unix:mode,uid,gid,size,nlink,ino,lastModifiedTime,ctime";

  private final Path folder;
  private final Path file;
  private final String secret;
  private final Map<String, Object> folderBefore;
  private final Map<String, Object> fileBefore;

  private HostCanary(Path folder, Path file, String secret) throws IOException {
    this.folder = folder;
    this.file = file;
    this.secret = secret;
    this.folderBefore = attributes(folder);
    this.fileBefore = attributes(file);
  }

  static HostCanary plant() throws IOException {
    Path folder = Files.createTempDirectory("cove-canary-");
    Path file = folder.resolve("canary");
    String secret = "canary-" + UUID.randomUUID();
    Files.writeString(file, secret);
    return new HostCanary(folder, file, secret);
  }

  Path folder() {
    return folder;
  }

  Path file() {
    return file;
  }

  String secret() {
    return secret;
  }

  void assertNotIn(byte[] bytes) {
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(secret);
  }

  void assertUntouched() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      assertThat(entries.toList()).as("files beside the canary").isEqualTo(List.of(file));
    }
    assertThat(Files.readString(file)).isEqualTo(secret);
    assertThat(attributes(file)).as("the canary's inode").isEqualTo(fileBefore);
    assertThat(attributes(folder)).as("the canary folder's inode").isEqualTo(folderBefore);
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, WATCHED, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : entries.toList()) {
        Files.delete(entry);
      }
    }
    Files.delete(folder);
  }
}
