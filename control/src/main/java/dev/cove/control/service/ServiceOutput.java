package dev.cove.control.service;

import dev.cove.control.log.LineCutter;
import dev.cove.control.log.LogLine.Piece;
import dev.cove.control.log.LogLine.Stream;
import dev.cove.control.log.SandboxLog;
import dev.cove.guest.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Brings what a process says into the log, from where the log ends. Nothing is read ahead of it, so
 * that a slow disk holds back the process and not the server.
 */
final class ServiceOutput {
  private static final int CHUNK = 16 * 1024;

  /** Lines that are written at once; with {@link #CHUNK} it bounds how much that is. */
  private static final int BATCH = 256;

  private final SandboxLog log;
  private final String service;
  private final Command command;

  ServiceOutput(SandboxLog log, String service, Command command) {
    this.log = log;
    this.service = service;
    this.command = command;
  }

  /**
   * Returns when the process has said its last.
   *
   * @param known whether some of it may be in the log already
   * @throws IOException when the link to it breaks
   */
  void keep(boolean known) throws IOException {
    CompletableFuture<Void> errors =
        CompletableFuture.runAsync(
            () -> keepQuietly(known, command.stderr(), Stream.STDERR, command.droppedErrors()),
            Thread::startVirtualThread);
    keep(known, command.stdout(), Stream.STDOUT, command.droppedOutput());
    try {
      errors.join();
    } catch (CompletionException e) {
      throw new IOException("The link to the process broke", e.getCause());
    }
  }

  private void keepQuietly(boolean known, InputStream in, Stream stream, long dropped) {
    try {
      keep(known, in, stream, dropped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void keep(boolean known, InputStream in, Stream stream, long dropped) throws IOException {
    long kept = known ? log.endOf(service, stream, command.processId()) : 0;
    if (dropped > kept) {
      String text = "%d bytes of %s were lost".formatted(dropped - kept, stream.publicName());
      log.append(List.of(Piece.note(service, text)));
    }
    long from = Math.max(kept, dropped);
    in.skipNBytes(from - dropped);
    var lines = new LineCutter(service, stream, command.processId(), from);
    byte[] chunk = new byte[CHUNK];
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      append(lines.take(chunk, 0, n));
    }
    append(lines.rest());
  }

  private void append(List<Piece> pieces) {
    for (int at = 0; at < pieces.size(); at += BATCH) {
      log.append(pieces.subList(at, Math.min(pieces.size(), at + BATCH)));
    }
  }
}
