package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.PortForward;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Model.CommandSpec;

/** Ports of a sandbox on this machine. */
final class Forward implements Callable<Integer> {
  private final Session session;

  private String box = "";
  private String address = "127.0.0.1";
  private List<String> mappings = List.of();

  private Forward(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var forward = new Forward(session);
    return Description.of(
            forward,
            "Put ports of a sandbox on this machine, any TCP, until Ctrl-C. Where it listens is"
                + " printed as soon as it does.")
        .text(
            "--address",
            "ADDRESS",
            "Listen here; default 127.0.0.1. Whoever reaches it gets in without a key.",
            value -> forward.address = value)
        .parameter("BOX", "The sandbox's id or name.", value -> forward.box = value)
        .parameters(
            "1..*",
            "LOCAL:PORT",
            "A port here and the one inside; LOCAL 0 for any free one, and PORT alone for the same.",
            value -> forward.mappings = value)
        .examples("cove forward box 8080:3000", "cove forward box 5432 0:6379")
        .build();
  }

  private record Mapping(int local, int port) {
    static Mapping parse(String text) {
      int colon = text.indexOf(':');
      if (colon < 0) {
        return new Mapping(PortNumber.parse(text), PortNumber.parse(text));
      }
      String local = text.substring(0, colon);
      int port = PortNumber.parse(text.substring(colon + 1));
      return new Mapping(local.equals("0") ? 0 : PortNumber.parse(local), port);
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Mapping> wanted = mappings.stream().map(Mapping::parse).toList();
    var stop = new CountDownLatch(1);
    var open = new ArrayList<PortForward>();
    try (Cove cove = session.connect();
        Signals _ =
            new Signals()
                .on("INT", stop::countDown)
                .on("TERM", stop::countDown)
                .on("HUP", stop::countDown)) {
      try {
        Sandbox sandbox = cove.sandboxes().require(box);
        for (Mapping mapping : wanted) {
          open.add(listen(sandbox, mapping));
        }
        stop.await();
      } finally {
        open.forEach(PortForward::close);
      }
    }
    return ExitCode.OK;
  }

  private PortForward listen(Sandbox sandbox, Mapping mapping) {
    var local = new InetSocketAddress(address, mapping.local());
    if (local.isUnresolved()) {
      throw new UserError("'" + address + "' is not an address of this machine");
    }
    try {
      PortForward forward = sandbox.forward(local, mapping.port());
      String host = forward.local().getAddress().getHostAddress();
      session.println(
          "%s:%d -> %s:%d"
              .formatted(
                  host.contains(":") ? "[" + host + "]" : host,
                  forward.local().getPort(),
                  box,
                  mapping.port()));
      return forward;
    } catch (IOException e) {
      throw new UserError(
          "Cannot listen on %s port %d (%s)".formatted(address, mapping.local(), e.getMessage()),
          e);
    }
  }
}
