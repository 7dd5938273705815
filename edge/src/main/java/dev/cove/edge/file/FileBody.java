package dev.cove.edge.file;

import dev.cove.guest.FileInfo;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** A file as callers see it. */
record FileBody(
    String path,
    String name,
    String type,
    long size,
    String mode,
    int uid,
    int gid,
    Instant modifiedAt,
    Optional<String> linkTarget) {
  static FileBody of(FileInfo info) {
    return new FileBody(
        info.path(),
        name(info.path()),
        info.type().name().toLowerCase(Locale.ROOT),
        info.size(),
        FileMode.text(info.mode()),
        info.uid(),
        info.gid(),
        info.modifiedAt(),
        info.type() == FileInfo.Type.SYMLINK ? Optional.of(info.linkTarget()) : Optional.empty());
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
