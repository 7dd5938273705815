package dev.cove.cli;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.SandboxFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Copies local files into a sandbox. Folders travel as one archive. */
final class CopyIn {
  private static final String USUAL_MODE = "0644";

  private final SandboxFiles files;
  private final InputStream stdin;

  CopyIn(SandboxFiles files, InputStream stdin) {
    this.files = files;
    this.stdin = stdin;
  }

  void copy(String from, BoxPath to) throws IOException {
    if (from.equals("-")) {
      files.write(to.path(), stdin, USUAL_MODE, false);
      return;
    }
    Path source = Path.of(from);
    if (!Files.exists(source)) {
      throw new UserError("There is no file " + from);
    }
    BoxPath target = isFolder(to) ? to.resolve(name(source)) : to;
    if (Files.isDirectory(source)) {
      boolean contentOnly = from.endsWith("/.") || from.equals(".");
      copyFolder(source, contentOnly ? to : target);
    } else {
      try (InputStream stream = Files.newInputStream(source)) {
        files.write(target.path(), stream, Modes.octal(source), false);
      }
    }
  }

  private static String name(Path source) throws IOException {
    return String.valueOf(source.toRealPath(LinkOption.NOFOLLOW_LINKS).getFileName());
  }

  private boolean isFolder(BoxPath place) {
    if (place.path().endsWith("/")) {
      return true;
    }
    try {
      return files.stat(place.path()).type() == FileInfo.Type.FOLDER;
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return false;
      }
      throw e;
    }
  }

  private void copyFolder(Path source, BoxPath target) throws IOException {
    try (var archive = new FolderArchive(source, _ -> false)) {
      try {
        files.uploadArchive(target.path(), archive.stream());
      } catch (CoveApiException e) {
        throw archive.reason(e);
      }
    }
  }
}
