package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.cove.testing.world.WorldNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Servers of the world outside that speak TLS, and tell back what they were told. */
final class SecureWorld implements AutoCloseable {
  private static final char[] PASSWORD = "not-a-secret".toCharArray();

  private final WorldNames names = new WorldNames();
  private final Path folder = Files.createTempDirectory("cove-world-");
  private final SSLContext context;
  private final Path certificate;
  private final List<HttpsServer> servers = new ArrayList<>();

  /** A server, and what came to it: one text for each request, with all that was in it. */
  record Place(HttpsServer server, List<String> seen) {
    int port() {
      return server.getAddress().getPort();
    }

    String all() {
      return String.join("\n", seen);
    }

    String last() {
      return seen.getLast();
    }
  }

  SecureWorld(String... hosts) throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "world",
                "-dname",
                "CN=the world",
                "-ext",
                "san=dns:" + String.join(",dns:", hosts),
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    var keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    String text = Base64.getMimeEncoder().encodeToString(keys.getCertificate("world").getEncoded());
    certificate =
        Files.writeString(
            folder.resolve("world.pem"),
            "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
  }

  /** What a server of Cove's needs to be part of this world. */
  Map<String, String> settings() {
    InetSocketAddress dns = names.address();
    return Map.of(
        "COVE_PRIVATE_RANGES",
        "127.77.0.0/16",
        "COVE_DNS",
        dns.getAddress().getHostAddress() + ":" + dns.getPort(),
        "COVE_TRUSTED_CAS",
        certificate.toString(),
        "COVE_LOG_LEVEL",
        "trace");
  }

  /** Answers with the request's own credentials and body, in a header and in its body. */
  Place echo(String host, String address, int port) throws IOException {
    return place(host, address, port, SecureWorld::echo);
  }

  Place place(String host, String address, int port, Telling handler) throws IOException {
    names.put(host, address);
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral(address), port), 64);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    HttpHandler tells =
        exchange -> {
          try (exchange) {
            handler.handle(exchange, seen);
          }
        };
    server.createContext("/", tells);
    server.start();
    servers.add(server);
    return new Place(server, seen);
  }

  /** Handles a request and tells what was in it. */
  interface Telling {
    void handle(HttpExchange exchange, List<String> seen) throws IOException;
  }

  private static void echo(HttpExchange exchange, List<String> seen) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String told =
        "%s %s\n%s\n%s"
            .formatted(
                exchange.getRequestMethod(),
                exchange.getRequestURI(),
                exchange.getRequestHeaders().entrySet(),
                new String(body, StandardCharsets.UTF_8));
    seen.add(told);
    String sent = exchange.getRequestHeaders().getFirst("Authorization");
    exchange.getResponseHeaders().set("X-You-Sent", sent == null ? "nothing" : sent);
    byte[] answer = told.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
  }

  @Override
  public void close() throws IOException {
    servers.forEach(server -> server.stop(0));
    names.close();
    RunningServer.removeTree(folder);
  }
}
