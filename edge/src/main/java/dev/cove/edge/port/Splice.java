package dev.cove.edge.port;

import dev.cove.edge.http.PlainConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins a client's connection to one inside, after both have agreed on another protocol. */
final class Splice {
  private static final Logger LOG = LoggerFactory.getLogger(Splice.class);
  private static final int PIECE = 16 * 1024;

  /** For the client to say its last words when the server inside has hung up. */
  private static final Duration PARTING = Duration.ofSeconds(30);

  private final PlainConnection tunnel;
  private final SandboxConnection connection;

  Splice(PlainConnection tunnel, SandboxConnection connection) {
    this.tunnel = tunnel;
    this.connection = connection;
  }

  /** Returns when both directions have ended. */
  void run() {
    Thread upward = Thread.ofVirtual().name("tunnel-up").start(this::up);
    try {
      OutputStream out = tunnel.output();
      out.write(connection.early());
      copy(connection.stream().input(), out);
      out.close();
      upward.join(PARTING);
    } catch (IOException e) {
      LOG.debug("An upgraded connection ended", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      end();
    }
  }

  void end() {
    tunnel.close();
    connection.close();
  }

  private void up() {
    try (OutputStream out = connection.output()) {
      copy(tunnel.input(), out);
    } catch (IOException e) {
      LOG.debug("An upgraded connection ended", e);
      end();
    }
  }

  private static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
      out.write(piece, 0, read);
    }
  }
}
