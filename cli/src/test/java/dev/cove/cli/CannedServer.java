package dev.cove.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that has its answers ready, and notes what it was asked. */
final class CannedServer implements AutoCloseable {
  record Reply(int status, String type, String body) {}

  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<byte[]> bodies = new CopyOnWriteArrayList<>();

  CannedServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.start();
  }

  static Reply json(int status, String body) {
    return new Reply(status, "application/json", body);
  }

  /** Answers the requests one after the other. */
  void answer(Reply... replies) {
    var next = List.of(replies).iterator();
    server.createContext("/", exchange -> reply(exchange, next.next()));
  }

  private void reply(HttpExchange exchange, Reply reply) throws IOException {
    try (exchange) {
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      bodies.add(exchange.getRequestBody().readAllBytes());
      byte[] body = reply.body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", reply.type);
      exchange.sendResponseHeaders(reply.status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  /** Method and path of each, in their order. */
  List<String> requests() {
    return requests;
  }

  byte[] body(int request) {
    return bodies.get(request);
  }

  Map<String, String> environment() {
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    return Map.of("COVE_URL", url, "COVE_API_KEY", "cove_key");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
