package dev.cove.edge.file;

import dev.cove.edge.http.Exchange;
import dev.cove.guest.GuestFiles;

/** Files that a request is about, for as long as it is being answered. */
public record OpenFiles(GuestFiles files, Runnable release) implements AutoCloseable {
  /** Files that need no closing. */
  static OpenFiles of(GuestFiles files) {
    return new OpenFiles(files, () -> {});
  }

  @Override
  public void close() {
    release.run();
  }

  /** Finds the files that a request is about, with the rights of the user that it names. */
  @FunctionalInterface
  public interface Source {
    OpenFiles open(Exchange exchange);
  }
}
