package dev.cove.bench.measure;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** The best known proxy that ends TLS and changes requests, before a server of the world. */
final class Mitmproxy implements AutoCloseable {
  private static final int TRIES = 150;

  private final Process process;
  private final int port;

  static Optional<Path> find() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(folder -> Path.of(folder, "mitmdump"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @param secret put into the same field of every request as Cove does
   */
  Mitmproxy(Path program, Path folder, TlsWorld world, String secret)
      throws IOException, InterruptedException {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String upstream = world.address().getHostAddress() + ":" + world.port();
    process =
        new ProcessBuilder(
                program.toString(),
                "--quiet",
                "--mode",
                "reverse:https://" + upstream,
                "--listen-host",
                "127.0.0.1",
                "--listen-port",
                String.valueOf(port),
                "--set",
                "confdir=" + folder.resolve("mitmproxy"),
                "--set",
                "ssl_insecure=true",
                "--set",
                "http2=false",
                "--modify-headers",
                "/~q/Authorization/Bearer " + secret)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("mitmproxy.log").toFile())
            .start();
    boolean up = false;
    try {
      awaitListening();
      up = true;
    } finally {
      if (!up) {
        close();
      }
    }
  }

  private void awaitListening() throws IOException, InterruptedException {
    for (int i = 0; i < TRIES && process.isAlive(); i++) {
      try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException _) {
        Thread.sleep(200);
      }
    }
    throw new IOException("mitmproxy did not start.");
  }

  int port() {
    return port;
  }

  @Override
  public void close() throws IOException {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while mitmproxy ended", e);
    }
  }
}
