package dev.cove.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A port of a sandbox on this machine: what connects here is connected there, byte by byte. Closing
 * it ends all of its connections.
 */
public final class PortForward implements AutoCloseable {
  private static final int MOST = 256;
  private static final int PIECE = 32 * 1024;

  private final Sandbox sandbox;
  private final int port;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Semaphore room = new Semaphore(MOST);

  private PortForward(Sandbox sandbox, int port, ServerSocket listener) {
    this.sandbox = sandbox;
    this.port = port;
    this.listener = listener;
  }

  static PortForward listen(Sandbox sandbox, InetSocketAddress local, int port) throws IOException {
    var listener = new ServerSocket();
    try {
      listener.setReuseAddress(true);
      listener.bind(local);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
    var forward = new PortForward(sandbox, port, listener);
    Thread.ofVirtual().name("forward").start(forward::accept);
    return forward;
  }

  /** Where it listens, also when any free port was asked for. */
  public InetSocketAddress local() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** The port inside. */
  public int port() {
    return port;
  }

  /** Those that come when all places are taken wait until one is free. */
  private void accept() {
    try {
      while (true) {
        room.acquire();
        Socket client = listener.accept();
        open.add(client);
        Thread.ofVirtual().name("forward-connection").start(() -> serve(client));
      }
    } catch (IOException | InterruptedException e) {
      close();
    }
  }

  private void serve(Socket client) {
    try (client) {
      relay(client);
    } catch (IOException e) {
      // It is closed, which is what was wanted.
    } finally {
      open.remove(client);
      room.release();
    }
  }

  private void relay(Socket client) throws IOException {
    try (PortConnection inside = sandbox.connect(port)) {
      client.setTcpNoDelay(true);
      Thread up = Thread.ofVirtual().name("forward-up").start(() -> up(client, inside));
      copy(inside.input(), client.getOutputStream());
      client.shutdownOutput();
      up.join();
    } catch (IOException | CoveException e) {
      // A reset tells whoever connected that this is not how the server inside ended it.
      client.setSoLinger(true, 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void up(Socket client, PortConnection inside) {
    try (OutputStream out = inside.output()) {
      copy(client.getInputStream(), out);
    } catch (IOException e) {
      inside.close();
    }
  }

  private static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
      out.write(piece, 0, read);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket client : open) {
        client.close();
      }
    } catch (IOException e) {
      throw new CoveConnectionException("The forwarded port could not be closed", e);
    }
  }
}
