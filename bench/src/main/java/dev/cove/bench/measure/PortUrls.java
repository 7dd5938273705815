package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.sdk.Command;
import dev.cove.sdk.PortAccess;
import dev.cove.sdk.Sandbox;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Small requests to a port of a sandbox, each over a connection that stays open. The server inside
 * answers without looking, and the same server on the host is asked the same way, so that the
 * difference is what the way in costs.
 */
final class PortUrls {
  private static final int INSIDE = 3000;
  private static final int ONE_BY_ONE = 2_000;
  private static final int CLIENTS = 32;
  private static final Duration LOAD = Duration.ofSeconds(5);
  private static final Duration WARM_UP = Duration.ofSeconds(2);

  /** Reads whatever comes and answers once for each empty line. */
  private static final String SERVER =
      """
      import java.net.*; import java.io.*;
      class Web { public static void main(String[] args) throws Exception {
        byte[] reply = "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok".getBytes();
        var listener = new ServerSocket(Integer.parseInt(args[0]), 256, InetAddress.getByName("127.0.0.1"));
        System.out.println("up"); System.out.flush();
        while (true) { var peer = listener.accept(); Thread.ofVirtual().start(() -> { try (peer) {
          peer.setTcpNoDelay(true); byte[] b = new byte[8192]; int state = 0, n;
          while ((n = peer.getInputStream().read(b)) > 0) for (int i = 0; i < n; i++) {
            state = b[i] == '\\n' ? state + 1 : b[i] == '\\r' ? state : 0;
            if (state == 2) { peer.getOutputStream().write(reply); state = 0; } }
        } catch (IOException e) { } }); } } }
      """;

  private PortUrls() {}

  static List<Finding> measure(Sandbox box, URI server) throws IOException, InterruptedException {
    box.files().write("/tmp/Web.java", SERVER);
    box.spawn(Command.of(program("/tmp/Web.java", INSIDE).toArray(String[]::new)));
    box.sharePort(INSIDE, PortAccess.PUBLIC);
    String host = "%d-%s.localhost:%d".formatted(INSIDE, box.id(), server.getPort());
    awaitAnswer(server.getPort(), host);
    load(server.getPort(), host, WARM_UP);
    Load full = load(server.getPort(), host, LOAD);
    Samples one = oneByOne(server.getPort(), host);
    return List.of(
        new Timing("url-direct", "one request after the other to the host's own port", direct()),
        new Quantity(
            "url-rate",
            "requests to a port's URL, %d connections at once".formatted(CLIENTS),
            full.count() / (LOAD.toMillis() / 1e3),
            "per s"),
        new Timing("url-loaded", "the same, each", full.times()),
        new Timing("url", "one request after the other to a port's URL", one));
  }

  private static List<String> program(String file, int port) {
    String java = ProcessHandle.current().info().command().orElse("java");
    return List.of(java, "-XX:+UseSerialGC", "-Xmx48m", file, String.valueOf(port));
  }

  private static Samples direct() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("cove-bench-");
    Path file = Files.writeString(folder.resolve("Web.java"), SERVER);
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Process server =
        new ProcessBuilder(program(file.toString(), port))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      awaitAnswer(port, "localhost");
      load(port, "localhost", WARM_UP);
      return oneByOne(port, "localhost");
    } finally {
      server.destroyForcibly().waitFor();
      Files.delete(file);
      Files.delete(folder);
    }
  }

  private static Samples oneByOne(int port, String host) throws IOException {
    var times = new ArrayList<Duration>();
    try (var client = new Client(port, host)) {
      for (int i = 0; i < ONE_BY_ONE; i++) {
        var watch = new Stopwatch();
        client.ask();
        times.add(watch.elapsed());
      }
    }
    return Samples.of(times, 0);
  }

  private static void awaitAnswer(int port, String host) throws IOException, InterruptedException {
    for (int i = 0; ; i++) {
      try (var client = new Client(port, host)) {
        client.ask();
        return;
      } catch (IOException e) {
        if (i == 100) {
          throw e;
        }
        Thread.sleep(200);
      }
    }
  }

  private record Load(int count, Samples times) {}

  private static Load load(int port, String host, Duration time)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    var running = new ArrayList<Future<List<Duration>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        running.add(threads.submit(() -> ask(port, host, end)));
      }
      var all = new ArrayList<Duration>();
      for (Future<List<Duration>> client : running) {
        all.addAll(client.get());
      }
      return new Load(all.size(), Samples.of(all, 0));
    } catch (ExecutionException e) {
      throw new IOException("A client of a port failed", e);
    }
  }

  private static List<Duration> ask(int port, String host, long end) throws IOException {
    var times = new ArrayList<Duration>();
    try (var client = new Client(port, host)) {
      while (System.nanoTime() < end) {
        var watch = new Stopwatch();
        client.ask();
        times.add(watch.elapsed());
      }
    }
    return times;
  }

  /** One connection, on which the next request follows the last answer. */
  private static final class Client implements AutoCloseable {
    private static final byte[] BODY = "\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final InputStream in;
    private final byte[] request;

    Client(int port, String host) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(10_000);
      in = new BufferedInputStream(socket.getInputStream());
      request =
          "GET / HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(host).getBytes(StandardCharsets.US_ASCII);
    }

    void ask() throws IOException {
      socket.getOutputStream().write(request);
      if (in.readNBytes(12)[9] != '2') {
        throw new IOException("A port did not answer as it should");
      }
      for (int matched = 0; matched < BODY.length; ) {
        int c = in.read();
        if (c < 0) {
          throw new IOException("A port's answer broke off");
        }
        matched = c == BODY[matched] ? matched + 1 : c == BODY[0] ? 1 : 0;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
