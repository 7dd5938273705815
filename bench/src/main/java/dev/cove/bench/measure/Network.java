package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The way out of a sandbox, beside the same without one: a host program and the same server. */
final class Network implements Measurement {
  private static final int BULK_MEGABYTES = 2_048;
  private static final int WARM_UPS = 100;
  private static final int MANY_CONNECTIONS = 2_500;

  /** Below the usual limit of new connections. */
  private static final int PER_SECOND = 400;

  private static final String MANY =
      """
      import resource, socket, sys, time
      most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
      resource.setrlimit(resource.RLIMIT_NOFILE, (4096, most))
      held = []
      for i in range(int(sys.argv[3])):
          peer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
          peer.sendall(b"x" * 1000)
          held.append(peer)
          time.sleep(1 / int(sys.argv[4]))
      time.sleep(1)
      print("up", flush=True)
      time.sleep(600)
      """;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** One connection; each line is the time of one request in nanoseconds. */
  private static final String REQUESTS =
      """
      import http.client, sys, time
      peer = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]))
      for i in range(int(sys.argv[3])):
          start = time.perf_counter_ns()
          peer.request('GET', '/')
          peer.getresponse().read()
          print(time.perf_counter_ns() - start)
      """;

  @Override
  public String name() {
    return "network";
  }

  @Override
  public String title() {
    return "The way out of a sandbox, to a server on this machine";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    InetAddress own = ownAddress();
    int rounds = Math.max(5, bench.effort().rounds() / 20);
    var findings = new ArrayList<Finding>();
    try (var bulk = new World(own, Network::sendBulk);
        var web = new World(own, Network::answer);
        var held = new World(own, Network::hold);
        BenchServer server =
            bench.startServer(Map.of("COVE_PRIVATE_RANGES", own.getHostAddress()));
        Sandbox box = server.cove().sandboxes().create(allowing(own))) {
      findings.addAll(bulk(box, bulk, rounds));
      bench.say("downloads are done");
      findings.addAll(requests(box, web, bench.effort().rounds() * 5));
      findings.add(cuts(box, held, rounds));
      findings.add(many(server, box, held));
      bench.say("connections are done");
      findings.addAll(PortUrls.measure(bench, box, server));
      bench.say("ports are done");
    }
    findings.addAll(TlsTraffic.measure(bench, own));
    return new Section(
        name(),
        title(),
        findings,
        List.of(
            "%d MB over one TCP connection; requests one after the other over one connection."
                .formatted(BULK_MEGABYTES),
            "Clients, servers and Cove share the processors of this machine."));
  }

  private static CreateOptions allowing(InetAddress own) {
    return CreateOptions.defaults()
        .network(dev.cove.sdk.Network.denying().allow(own.getHostAddress()));
  }

  /** Loopback addresses are a sandbox's own, so it takes another. */
  private static InetAddress ownAddress() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .findFirst()
        .orElseThrow(() -> new IOException("This machine has no address but its loopback's."));
  }

  private static List<Finding> bulk(Sandbox box, World world, int rounds)
      throws IOException, InterruptedException {
    String script =
        "exec cat < /dev/tcp/%s/%d > /dev/null".formatted(world.address(), world.port());
    var direct = new ArrayList<Duration>();
    var inside = new ArrayList<Duration>();
    for (int i = 0; i <= rounds; i++) {
      var watch = new Stopwatch();
      Spawning.toExit(List.of("/bin/bash", "-c", script));
      Duration outside = watch.elapsed();
      watch = new Stopwatch();
      require(box.exec(Command.of("bash", "-c", script)));
      if (i > 0) {
        direct.add(outside);
        inside.add(watch.elapsed());
      }
    }
    Samples through = Samples.of(inside, 0);
    Samples by = Samples.of(direct, 0);
    double enough = Math.max(by.p50Millis(), BULK_MEGABYTES * 1.048576); // 1 GB per second
    return List.of(
        new Timing("bulk", "download through the gateway", through),
        new Timing("bulk-direct", "the same by a program of the host", by),
        new Quantity(
            "bulk-share",
            "speed of the download, of that of the host's or of 1 GB/s if that is less",
            100 * enough / through.p50Millis(),
            "%"));
  }

  private static List<Finding> requests(Sandbox box, World world, int count)
      throws IOException, InterruptedException {
    List<String> program =
        List.of(
            "python3",
            "-c",
            REQUESTS,
            world.address(),
            String.valueOf(world.port()),
            String.valueOf(count + WARM_UPS));
    String inside = require(box.exec(Command.of(program.toArray(String[]::new)))).stdout();
    Process process = new ProcessBuilder(program).start();
    String outside = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("A client of the host failed.");
    }
    return List.of(
        new Timing("request", "HTTP request through the gateway", samples(inside)),
        new Timing("request-direct", "the same by a program of the host", samples(outside)));
  }

  private static Samples samples(String lines) {
    return Samples.of(
        lines.lines().skip(WARM_UPS).map(line -> Duration.ofNanos(Long.parseLong(line))).toList(),
        0);
  }

  private static Finding cuts(Sandbox box, World world, int rounds)
      throws IOException, InterruptedException {
    var times = new ArrayList<Duration>();
    String rule = world.address() + ":" + world.port();
    String script =
        "exec 3<>/dev/tcp/%s/%d; echo up; cat <&3".formatted(world.address(), world.port());
    for (int i = 0; i < rounds; i++) {
      box.allow(rule);
      try (RunningCommand client = box.start(Command.of("bash", "-c", script))) {
        if (client.stdout().readNBytes(3).length < 3) {
          throw new IOException("A connection was not made.");
        }
        world.awaitBegin();
        var watch = new Stopwatch();
        box.deny(rule);
        world.awaitEnd();
        times.add(watch.elapsed());
      }
    }
    return new Timing("cut", "change of policy to the end of a connection", Samples.of(times, 0));
  }

  /** Only what the server needs for them is counted. */
  private static Finding many(BenchServer server, Sandbox box, World world)
      throws IOException, InterruptedException {
    box.allow(world.address());
    var client =
        Command.of(
            "python3",
            "-c",
            MANY,
            world.address(),
            String.valueOf(world.port()),
            String.valueOf(MANY_CONNECTIONS),
            String.valueOf(PER_SECOND));
    long before = Machine.residentKilobytes(server.pid());
    try (RunningCommand holder = box.start(client)) {
      if (holder.stdout().readNBytes(3).length < 3) {
        throw new IOException("The connections were not made.");
      }
      long after = Machine.residentKilobytes(server.pid());
      return new Quantity(
          "held",
          "memory of each of %,d connections at once".formatted(MANY_CONNECTIONS),
          Math.max(0, after - before) / (double) MANY_CONNECTIONS,
          "KiB");
    }
  }

  private static ExecResult require(ExecResult result) throws IOException {
    if (result.exitCode() != 0) {
      throw new IOException("A client in the sandbox failed: " + result.stderr());
    }
    return result;
  }

  private static void sendBulk(Socket peer) throws IOException {
    byte[] piece = new byte[1 << 20];
    for (int i = 0; i < BULK_MEGABYTES; i++) {
      peer.getOutputStream().write(piece);
    }
  }

  private static void answer(Socket peer) throws IOException {
    byte[] reply =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[4_096];
    OutputStream out = peer.getOutputStream();
    peer.setTcpNoDelay(true);
    while (peer.getInputStream().read(request) > 0) {
      out.write(reply);
    }
  }

  private static void hold(Socket peer) throws IOException {
    peer.getInputStream().readAllBytes();
  }

  /** A server of the world, one thread for each connection. */
  private static final class World implements AutoCloseable {
    private interface Manner {
      void serve(Socket peer) throws IOException;
    }

    private final ServerSocket listener = new ServerSocket();
    private final LinkedBlockingQueue<Boolean> begins = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Boolean> ends = new LinkedBlockingQueue<>();

    World(InetAddress address, Manner manner) throws IOException {
      listener.bind(new InetSocketAddress(address, 0));
      Thread.ofVirtual().start(() -> accept(manner));
    }

    private void accept(Manner manner) {
      try {
        while (true) {
          Socket peer = listener.accept();
          Thread.ofPlatform().daemon().start(() -> serve(peer, manner));
        }
      } catch (IOException e) {
        return; // closed
      }
    }

    private void serve(Socket peer, Manner manner) {
      begins.add(true);
      try (peer) {
        manner.serve(peer);
      } catch (IOException e) {
        // Cut, which is what some of them are for.
      } finally {
        ends.add(true);
      }
    }

    String address() {
      return listener.getInetAddress().getHostAddress();
    }

    int port() {
      return listener.getLocalPort();
    }

    void awaitBegin() throws InterruptedException, IOException {
      await(begins);
    }

    void awaitEnd() throws InterruptedException, IOException {
      await(ends);
    }

    private static void await(LinkedBlockingQueue<Boolean> moment)
        throws InterruptedException, IOException {
      if (moment.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS) == null) {
        throw new IOException("A connection neither came nor went.");
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
