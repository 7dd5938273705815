package dev.cove.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers requests by their method and path; anything else is not found. */
final class FakeApi implements AutoCloseable {
  private record Answer(int status, String body) {}

  private final HttpServer server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();

  FakeApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    answers.put("GET /healthz", new Answer(200, "{\"status\":\"ok\",\"version\":\"0.1.0\"}"));
  }

  FakeApi on(String request, int status, String body) {
    answers.put(request, new Answer(status, body));
    return this;
  }

  /** Each as method, path with query, and body. */
  List<String> requests() {
    return requests;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
      requests.add(body.isEmpty() ? request : request + " " + body);
      Answer answer =
          answers.getOrDefault(
              request,
              new Answer(
                  404,
                  "{\"status\":404,\"code\":\"not_found\",\"detail\":\"There is no such sandbox.\"}"));
      byte[] bytes = answer.body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
