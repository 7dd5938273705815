package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SecretBinding;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Requests over TLS: by a program of the host, from a sandbox through the gateway untouched, and
 * from one with TLS ended and a secret put in. The same through mitmproxy where it is installed.
 */
final class TlsTraffic {
  private static final int PER_SECOND = 200;
  private static final int CLIENTS = 8;
  private static final int TRIES = 3;
  private static final Duration STEADY = Duration.ofSeconds(10);
  private static final Duration LOAD = Duration.ofSeconds(5);

  /** Until the compilers of the server have seen it all. */
  private static final Duration WARM_UP = Duration.ofSeconds(20);

  private static final String SECRET = "bench-value-1f83a0c6d2";

  /**
   * Each client is a process with one connection; each line is the time of one request in
   * nanoseconds. With a rate, requests begin at set moments; without, one follows the other.
   */
  private static final String CLIENT =
      """
      import os, socket, ssl, sys, time
      host, port, name, trust, clients, seconds, rate = sys.argv[1:8]
      token = os.environ.get("BENCH_KEY", "none")
      ask = f"GET / HTTP/1.1\\r\\nHost: {name}:{port}\\r\\nAuthorization: Bearer {token}\\r\\n\\r\\n".encode()
      context = ssl.create_default_context()
      if trust == "nobody":
          context = ssl._create_unverified_context()
      elif trust:
          context = ssl.create_default_context(cafile=trust)
      def run(out):
          peer = socket.create_connection((host, int(port)))
          peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
          peer = context.wrap_socket(peer, server_hostname=name)
          step = int(1e9 / float(rate)) if float(rate) else 0
          times = []
          begin = next = time.perf_counter_ns()
          end = begin + int(float(seconds) * 1e9)
          while True:
              start = time.perf_counter_ns()
              if step:
                  while start < next:
                      time.sleep((next - start) / 1e9)
                      start = time.perf_counter_ns()
                  next += step
              if start > end:
                  break
              peer.sendall(ask)
              got = b""
              while not got.endswith(b"ok") and b"0\\r\\n\\r\\n" not in got:
                  more = peer.recv(65536)
                  if not more:
                      sys.exit("it ended: " + repr(got))
                  got += more
              if got[9:12] != b"200":
                  sys.exit("it said " + repr(got))
              times.append(time.perf_counter_ns() - start)
          out.write("\\n".join(map(str, times)) + "\\n")
          out.flush()
      children = []
      for i in range(int(clients)):
          read, write = os.pipe()
          if os.fork() == 0:
              os.close(read)
              run(os.fdopen(write, "w"))
              os._exit(0)
          os.close(write)
          children.append(os.fdopen(read))
      for child in children:
          sys.stdout.write(child.read())
      for child in children:
          if os.wait()[1]:
              sys.exit("a client failed")
      """;

  /** How a client is started. */
  private interface Start {
    String output(List<String> command) throws IOException, InterruptedException;
  }

  /** Whom a client connects to, and whom it trusts; nothing means whoever the system does. */
  private record Way(String host, int port, String trust, Start start) {
    Samples ask(int clients, Duration time, int rate) throws IOException, InterruptedException {
      String times =
          start.output(
              List.of(
                  "python3",
                  "-c",
                  CLIENT,
                  host,
                  String.valueOf(port),
                  TlsWorld.NAME,
                  trust,
                  String.valueOf(clients),
                  String.valueOf(time.toSeconds()),
                  String.valueOf(rate)));
      return Samples.of(
          times.lines().map(line -> Duration.ofNanos(Long.parseLong(line))).toList(), 0);
    }

    Samples steady() throws IOException, InterruptedException {
      return ask(1, STEADY, PER_SECOND);
    }

    /** The most that it did in some tries. */
    double most() throws IOException, InterruptedException {
      int most = 0;
      for (int i = 0; i <= TRIES; i++) {
        most = Math.max(most, ask(CLIENTS, LOAD, 0).count());
      }
      return most / (LOAD.toMillis() / 1e3);
    }
  }

  private TlsTraffic() {}

  static List<Finding> measure(Workbench bench, InetAddress own)
      throws IOException, InterruptedException {
    Path folder = bench.folder("tls");
    var findings = new ArrayList<Finding>();
    try (var world = new TlsWorld(own, folder, SECRET);
        BenchServer server = bench.startServer(settings(world))) {
      String trusted = world.certificate().toString();
      var direct = new Way(own.getHostAddress(), world.port(), trusted, TlsTraffic::onHost);
      direct.ask(CLIENTS, LOAD, 0);
      findings.add(new Timing("tls-direct", steadily("by a program of the host"), direct.steady()));
      findings.add(rate("tls-direct-rate", "by programs of the host", direct.most()));
      findings.addAll(through(server, world));
      findings.addAll(mitmproxy(bench, world, folder));
    }
    return findings;
  }

  private static Map<String, String> settings(TlsWorld world) {
    return Map.of(
        "COVE_PRIVATE_RANGES",
        world.address().getHostAddress(),
        "COVE_DNS",
        world.nameServer(),
        "COVE_TRUSTED_CAS",
        world.certificate().toString());
  }

  private static String steadily(String how) {
    return "TLS request, %d per second, %s".formatted(PER_SECOND, how);
  }

  private static Quantity rate(String key, String how, double rate) {
    return new Quantity(
        key,
        "TLS requests over %d connections, %s, best of %d".formatted(CLIENTS, how, TRIES + 1),
        rate,
        "per s");
  }

  private static List<Finding> through(BenchServer server, TlsWorld world)
      throws IOException, InterruptedException {
    var allowed = dev.cove.sdk.Network.denying().allow(TlsWorld.NAME);
    server.cove().secrets().set("BENCH_KEY", SECRET);
    try (Sandbox plain =
            server.cove().sandboxes().create(CreateOptions.defaults().network(allowed));
        Sandbox bound =
            server
                .cove()
                .sandboxes()
                .create(
                    CreateOptions.defaults()
                        .network(allowed)
                        .secret(SecretBinding.bearer("BENCH_KEY", TlsWorld.NAME)))) {
      String trusted = "/home/user/world.pem";
      plain.files().write(trusted, Files.readString(world.certificate()));
      var passed = new Way(TlsWorld.NAME, world.port(), trusted, in(plain));
      var swapped = new Way(TlsWorld.NAME, world.port(), "", in(bound));
      passed.ask(CLIENTS, LOAD, 0);
      swapped.ask(CLIENTS, WARM_UP, 0);
      var findings = new ArrayList<Finding>();
      findings.add(new Timing("tls", steadily("through the gateway"), passed.steady()));
      int before = world.requestsWithSecret();
      Samples steady = swapped.steady();
      if (world.requestsWithSecret() - before < steady.count()) {
        throw new IOException("A secret was not put into every request.");
      }
      findings.add(new Timing("swapped", steadily("a secret put in"), steady));
      findings.add(rate("tls-rate", "through the gateway", passed.most()));
      findings.add(rate("swapped-rate", "a secret put into each", swapped.most()));
      return findings;
    }
  }

  /** Optional: it is used where it is, and never installed. */
  private static List<Finding> mitmproxy(Workbench bench, TlsWorld world, Path folder)
      throws IOException, InterruptedException {
    Optional<Path> program = Mitmproxy.find();
    if (program.isEmpty()) {
      bench.say("mitmproxy is not installed");
      return List.of();
    }
    try (var proxy = new Mitmproxy(program.get(), folder, world, SECRET)) {
      var way = new Way("127.0.0.1", proxy.port(), "nobody", TlsTraffic::onHost);
      way.ask(CLIENTS, LOAD, 0);
      return List.of(
          new Timing("mitmproxy", steadily("through mitmproxy, a field changed"), way.steady()),
          rate("mitmproxy-rate", "through mitmproxy, a field changed in each", way.most()));
    }
  }

  private static Start in(Sandbox box) {
    return command -> {
      ExecResult result = box.exec(Command.of(command.toArray(String[]::new)));
      if (result.exitCode() != 0) {
        throw new IOException("A client in the sandbox failed: " + result.stderr());
      }
      return result.stdout();
    };
  }

  private static String onHost(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("A client of the host failed.");
    }
    return output;
  }
}
