package dev.cove.edge;

import dev.cove.control.key.ApiKeys;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.exec.ExecRoutes;
import dev.cove.edge.exec.OutputBudget;
import dev.cove.edge.file.FileRoutes;
import dev.cove.edge.http.HttpFront;
import dev.cove.edge.http.HttpLimits;
import dev.cove.edge.http.Route;
import dev.cove.edge.http.WebSockets;
import dev.cove.edge.key.KeyRoutes;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.edge.system.SystemRoutes;
import dev.cove.node.Node;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** The API server. Whoever starts it has everything behind it ready: it is healthy at once. */
public final class EdgeServer implements AutoCloseable {
  private final HttpFront front;

  private EdgeServer(HttpFront front) {
    this.front = front;
  }

  public static EdgeServer start(
      EdgeConfig config, SandboxLifecycle lifecycle, ApiKeys keys, Node node) throws IOException {
    return start(config, lifecycle, keys, node, HttpLimits.DEFAULT);
  }

  static EdgeServer start(
      EdgeConfig config, SandboxLifecycle lifecycle, ApiKeys keys, Node node, HttpLimits limits)
      throws IOException {
    var sockets = new WebSockets(limits);
    List<Route> routes =
        Stream.of(
                new SystemRoutes(node, config.version()).routes(),
                new SandboxRoutes(lifecycle).routes(),
                new ExecRoutes(lifecycle, node, new OutputBudget()).routes(),
                new FileRoutes(lifecycle).routes(),
                new KeyRoutes(keys).routes())
            .flatMap(List::stream)
            .toList();
    return new EdgeServer(
        HttpFront.start(
            new HttpFront.Parts(
                config.host(), config.port(), limits, routes, keys, (_, _, _) -> {}, sockets)));
  }

  /** The port it listens on, also when any free one was asked for. */
  public int port() {
    return front.port();
  }

  /** Stops taking requests, gives those at work a moment, and closes. */
  @Override
  public void close() {
    front.close();
  }
}
