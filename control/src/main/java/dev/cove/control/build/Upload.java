package dev.cove.control.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a caller sent, for as long as it is needed. */
public final class Upload implements AutoCloseable {
  private final Spool spool;
  private final Path file;

  Upload(Spool spool, Path file) {
    this.spool = spool;
    this.file = file;
  }

  public Path file() {
    return file;
  }

  /** Its content, which stays readable when the file goes meanwhile. */
  public InputStream open() throws IOException {
    return Files.newInputStream(file);
  }

  /** The same as the files of a build. */
  public BuildContext asContext() throws IOException {
    return BuildContext.open(file);
  }

  @Override
  public void close() {
    spool.drop(file);
  }
}
