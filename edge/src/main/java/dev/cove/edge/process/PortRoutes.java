package dev.cove.edge.process;

import dev.cove.control.port.PortAddress;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.Socket;
import dev.cove.edge.http.WebSockets;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.guest.TcpStream;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Raw TCP to a port inside a sandbox, over a WebSocket. */
public final class PortRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(PortRoutes.class);
  private static final int PIECE = 32 * 1024;

  private final SandboxLifecycle lifecycle;
  private final WebSockets sockets;

  public PortRoutes(SandboxLifecycle lifecycle, WebSockets sockets) {
    this.lifecycle = lifecycle;
    this.sockets = sockets;
  }

  public List<Route> routes() {
    return List.of(Route.of("GET", SandboxRoutes.ONE + "/ports/{port}/connect", this::connect));
  }

  private void connect(Exchange exchange) throws IOException {
    sockets.requireUpgrade(exchange);
    int port = port(exchange.path("port"));
    // Connected before the upgrade, so that a closed port is an ordinary answer.
    TcpStream stream = lifecycle.connect(exchange.path("box"), port);
    sockets.accept(exchange, socket -> relay(socket, stream), stream::close);
  }

  /** The port that a segment of a route names. */
  public static int port(String text) {
    return PortAddress.parsePort(text)
        .orElseThrow(() -> new IllegalArgumentException("port must be a number from 1 to 65535"));
  }

  private static void relay(Socket socket, TcpStream stream)
      throws IOException, InterruptedException {
    try (stream) {
      var _ = socket.closed().thenRun(stream::close);
      Thread input = Thread.ofVirtual().name("port-input").start(() -> listen(socket, stream));
      byte[] piece = new byte[PIECE];
      for (int read = stream.input().read(piece); read >= 0; read = stream.input().read(piece)) {
        socket.sendBinary(piece, read);
      }
      socket.sendJson(new EndMessage("end"));
      // As with TCP itself, the other direction may have more to say.
      input.join();
    }
  }

  private static void listen(Socket socket, TcpStream stream) {
    try (OutputStream out = stream.output()) {
      while (true) {
        switch (socket.receive()) {
          case Socket.Message.End _ -> {
            return;
          }
          case Socket.Message.Binary(var bytes) -> {
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            out.flush();
          }
          case Socket.Message.Text(var text) -> {
            if (!"end".equals(Json.read(text, EndMessage.class).type())) {
              throw new IllegalArgumentException("The only text message is of type end");
            }
            return;
          }
        }
      }
    } catch (IOException e) {
      LOG.debug("A relayed connection ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (CoveException | IllegalArgumentException e) {
      socket.close(Socket.POLICY, "A text message was not understood");
    }
  }

  record EndMessage(@Nullable String type) {}
}
