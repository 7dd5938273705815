package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.sdk.Command;
import dev.cove.sdk.PortAccess;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Small requests to a port of a sandbox, each over a connection that stays open. The server inside
 * answers without looking, and the same server on the host is asked the same way, so that the
 * difference is what the way in costs.
 */
final class PortUrls {
  private static final int INSIDE = 3000;
  private static final int CLIENTS = 32;
  private static final int WARM_UPS = 6;
  private static final int TRIES = 3;
  private static final Duration LOAD = Duration.ofSeconds(5);

  private final Path ask;
  private final Path answer;

  private PortUrls(Path ask, Path answer) {
    this.ask = ask;
    this.answer = answer;
  }

  static List<Finding> measure(Workbench bench, Sandbox box, BenchServer server)
      throws IOException, InterruptedException {
    Path folder = bench.folder("ports");
    var programs =
        new PortUrls(NativeProgram.compile("ask", folder), NativeProgram.compile("answer", folder));
    List<Finding> findings = new ArrayList<>(programs.direct());
    findings.addAll(programs.through(box, server));
    return findings;
  }

  private List<Finding> direct() throws IOException, InterruptedException {
    int port = freePort();
    Process server = new ProcessBuilder(answer.toString(), String.valueOf(port)).start();
    try {
      awaitAnswer(port, "localhost");
      return List.of(
          new Timing(
              "url-direct",
              "one request after the other to the host's own port",
              ask(port, "localhost", 1)),
          new Timing(
              "url-loaded-direct",
              "the same, %d at once".formatted(CLIENTS),
              ask(port, "localhost", CLIENTS)));
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  private List<Finding> through(Sandbox box, BenchServer server)
      throws IOException, InterruptedException {
    int port = server.url().getPort();
    String host = serve(answer, box, server);
    warmUp(port, host);
    Samples one = ask(port, host, 1);
    Samples best = ask(port, host, CLIENTS);
    double micros = Double.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      Duration before = Machine.cpu(server.pid());
      Samples now = ask(port, host, CLIENTS);
      Duration used = Machine.cpu(server.pid()).minus(before);
      micros = Math.min(micros, used.toNanos() / 1e3 / now.count());
      best = now.count() > best.count() ? now : best;
    }
    return List.of(
        new Timing("url", "one request after the other to a port's URL", one),
        new Timing("url-loaded", "the same, %d at once".formatted(CLIENTS), best),
        new Quantity(
            "url-rate",
            "requests to a port's URL, %d connections at once, best of %d"
                .formatted(CLIENTS, TRIES + 1),
            best.count() / (LOAD.toMillis() / 1e3),
            "per s"),
        new Quantity(
            "url-cpu", "processor time of the server for each, least of " + TRIES, micros, "us"));
  }

  /** Until the server's compiler has little left to gain. */
  private void warmUp(int port, String host) throws IOException, InterruptedException {
    int most = 0;
    for (int i = 0; i < WARM_UPS; i++) {
      int now = ask(port, host, CLIENTS).count();
      if (now < most * 1.03) {
        return;
      }
      most = now;
    }
  }

  /**
   * Starts a web server in a sandbox.
   *
   * @return the host that requests to it name
   */
  static String serve(Path answer, Sandbox box, BenchServer server)
      throws IOException, InterruptedException {
    try (var program = Files.newInputStream(answer)) {
      box.files().write("/home/user/answer", program, "0755", true);
    }
    box.spawn(Command.of("/home/user/answer", String.valueOf(INSIDE)));
    box.sharePort(INSIDE, PortAccess.PUBLIC);
    String host = "%d-%s.localhost:%d".formatted(INSIDE, box.id(), server.url().getPort());
    awaitAnswer(server.url().getPort(), host);
    return host;
  }

  private Samples ask(int port, String host, int connections)
      throws IOException, InterruptedException {
    Process client =
        new ProcessBuilder(
                ask.toString(),
                String.valueOf(port),
                host,
                String.valueOf(connections),
                String.valueOf(LOAD.toSeconds()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<Duration> times;
    try (var lines = client.inputReader(StandardCharsets.US_ASCII)) {
      times = lines.lines().map(line -> Duration.ofNanos(Long.parseLong(line))).toList();
    }
    if (client.waitFor() != 0) {
      throw new IOException("A client of a port failed.");
    }
    return Samples.of(times, 0);
  }

  private static int freePort() throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  /** One request over a connection of its own. */
  static boolean answers(int port, String host) throws IOException {
    byte[] request =
        "GET / HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(host).getBytes(StandardCharsets.US_ASCII);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request);
      byte[] head = socket.getInputStream().readNBytes(12);
      return head.length == 12 && head[9] == '2';
    }
  }

  private static void awaitAnswer(int port, String host) throws IOException, InterruptedException {
    for (int i = 0; i < 100; i++) {
      try {
        if (answers(port, host)) {
          return;
        }
      } catch (IOException _) {
        // It does not listen yet.
      }
      Thread.sleep(100);
    }
    throw new IOException("A port did not answer as it should.");
  }
}
