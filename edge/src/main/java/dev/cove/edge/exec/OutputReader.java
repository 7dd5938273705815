package dev.cove.edge.exec;

import dev.cove.guest.GuestLinkException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;

/** Reads one of a command's output streams to its end. */
public final class OutputReader {
  public static final int PIECE = 32 * 1024;

  private final InputStream in;
  private final Sink sink;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  OutputReader(InputStream in, Sink sink) {
    this.in = in;
    this.sink = sink;
  }

  /** Takes output piece by piece; while it takes its time, the command is held back. */
  public interface Sink {
    void accept(byte[] bytes, int length) throws IOException, InterruptedException;

    /** Nothing follows. */
    default void end() throws IOException {}
  }

  /** Reads on a thread of its own. */
  void start() {
    Thread.ofVirtual().name("command-output").start(this::run);
  }

  /** Completes at the end of the stream, or with what prevented it. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Reads on the calling thread. */
  void run() {
    try {
      byte[] bytes = new byte[PIECE];
      for (int read = read(bytes); read >= 0; read = read(bytes)) {
        sink.accept(bytes, read);
      }
      sink.end();
      done.complete(null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      done.completeExceptionally(e);
    } catch (IOException | RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  private int read(byte[] bytes) {
    try {
      return in.read(bytes);
    } catch (IOException e) {
      throw new GuestLinkException("The link to the sandbox broke while a command ran", e);
    }
  }
}
