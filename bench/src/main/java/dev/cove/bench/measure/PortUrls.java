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
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
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
    String java = ProcessHandle.current().info().command().orElse("java");
    String start = "exec %s -XX:+UseSerialGC -Xmx48m /tmp/Web.java %d".formatted(java, INSIDE);
    box.spawn(Command.of("bash", "-c", start));
    box.sharePort(INSIDE, PortAccess.PUBLIC);
    String host = "%d-%s.localhost:%d".formatted(INSIDE, box.id(), server.getPort());
    awaitAnswer(server, host);
    load(server, host, WARM_UP);
    Load full = load(server, host, LOAD);
    var one = new ArrayList<Duration>();
    try (var client = new Client(server, host)) {
      for (int i = 0; i < 2_000; i++) {
        var watch = new Stopwatch();
        client.ask();
        one.add(watch.elapsed());
      }
    }
    return List.of(
        new Quantity(
            "url-rate",
            "requests to a port's URL, %d connections at once".formatted(CLIENTS),
            full.count() / (LOAD.toMillis() / 1e3),
            "per s"),
        new Timing("url-loaded", "the same, each", full.times()),
        new Timing(
            "url", "one request after the other to a port's URL", Samples.of(one, 0)));
  }

  private static void awaitAnswer(URI server, String host)
      throws IOException, InterruptedException {
    for (int i = 0; ; i++) {
      try (var client = new Client(server, host)) {
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

  private static Load load(URI server, String host, Duration time)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    var running = new ArrayList<Future<List<Duration>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        running.add(threads.submit(() -> ask(server, host, end)));
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

  private static List<Duration> ask(URI server, String host, long end) throws IOException {
    var times = new ArrayList<Duration>();
    try (var client = new Client(server, host)) {
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

    Client(URI server, String host) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
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
