package dev.cove.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.cove.testing.world.WorldNames;
import dev.cove.testing.world.WorldServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
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
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The world outside: its names, servers that speak TLS and tell back what they were told, and plain
 * ones. Its addresses are those of 127.77.0.0/16.
 *
 * <p>Register it as a static extension, ordered before the {@link RunningServer} that gets its
 * settings: a class that is run again gets a new one.
 */
public final class SecureWorld implements BeforeAllCallback, AfterAllCallback {
  private static final char[] PASSWORD = "not-a-secret".toCharArray();

  private final List<String> hosts;
  private final List<HttpsServer> servers = new ArrayList<>();
  private final List<WorldServer> plain = new ArrayList<>();
  private @Nullable WorldNames names;
  private @Nullable Path folder;
  private @Nullable SSLContext context;

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

  private SecureWorld(List<String> hosts) {
    this.hosts = hosts;
  }

  /** One in which these hosts have a certificate. */
  public static SecureWorld of(String... hosts) {
    return new SecureWorld(List.of(hosts));
  }

  @Override
  public void beforeAll(ExtensionContext ignored) throws Exception {
    names = new WorldNames();
    folder = Files.createTempDirectory("cove-world-");
    context = secured(folder.resolve("keys.p12"));
  }

  private SSLContext secured(Path store) throws Exception {
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
    var made = SSLContext.getInstance("TLS");
    made.init(managers.getKeyManagers(), null, null);
    String text = Base64.getMimeEncoder().encodeToString(keys.getCertificate("world").getEncoded());
    Files.writeString(
        certificate(), "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
    return made;
  }

  public WorldNames names() {
    return requireNonNull(names);
  }

  /** What others have to trust, as a file. */
  Path certificate() {
    return requireNonNull(folder).resolve("world.pem");
  }

  /** What a server of Cove's needs to be part of this world. */
  public Map<String, String> settings() {
    InetSocketAddress dns = names().address();
    return Map.of(
        "COVE_PRIVATE_RANGES",
        "127.77.0.0/16",
        "COVE_DNS",
        dns.getAddress().getHostAddress() + ":" + dns.getPort(),
        "COVE_TRUSTED_CAS",
        certificate().toString(),
        "COVE_LOG_LEVEL",
        "trace");
  }

  /** A socket on loopback that speaks TLS, to be closed by whoever asked for it. */
  ServerSocket listen() throws IOException {
    return requireNonNull(context)
        .getServerSocketFactory()
        .createServerSocket(0, 128, InetAddress.getLoopbackAddress());
  }

  /** Answers with the request's own credentials and body, in a header and in its body. */
  Place echo(String host, String address, int port) throws IOException {
    return place(host, address, port, SecureWorld::echo);
  }

  Place place(String host, String address, int port, Telling handler) throws IOException {
    names().put(host, address);
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral(address), port), 64);
    server.setHttpsConfigurator(new HttpsConfigurator(requireNonNull(context)));
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

  /** One that speaks HTTP/2 as well, to be closed by whoever asked for it. */
  ModernPlace modern(String host, String address) throws Exception {
    names().put(host, address);
    return new ModernPlace(address, requireNonNull(context));
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

  /** Answers each request with its first line; redirects where the path says so. */
  public WorldServer web(String address) throws IOException {
    return plain(address, SecureWorld::web);
  }

  /** The same by TLS. */
  WorldServer secureWeb(String host, String address) throws IOException {
    return plain(
        address,
        (socket, seen) -> {
          var factory = requireNonNull(context).getSocketFactory();
          var secured = (SSLSocket) factory.createSocket(socket, host, socket.getPort(), true);
          secured.setUseClientMode(false);
          web(secured, seen);
        });
  }

  public WorldServer plain(String address, WorldServer.Manner manner) throws IOException {
    var server = new WorldServer(address, manner);
    plain.add(server);
    return server;
  }

  /** The manner of {@link #web(String)}. */
  public static void web(Socket socket, ByteArrayOutputStream seen) throws IOException {
    var head = new ByteArrayOutputStream();
    for (int c; (c = socket.getInputStream().read()) >= 0; ) {
      synchronized (seen) {
        seen.write(c);
      }
      head.write(c);
      String text = head.toString(StandardCharsets.ISO_8859_1);
      if (text.endsWith("\r\n\r\n")) {
        String line = text.lines().findFirst().orElseThrow();
        String location =
            line.startsWith("GET /to?") ? "Location: " + line.split("[? ]")[2] + "\r\n" : "";
        String answer =
            "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(
                    location.isEmpty() ? "200 OK" : "302 Found", location, line.length(), line);
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
        head.reset();
      }
    }
  }

  @Override
  public void afterAll(ExtensionContext ignored) throws IOException {
    servers.forEach(server -> server.stop(0));
    servers.clear();
    for (WorldServer server : plain) {
      server.close();
    }
    plain.clear();
    names().close();
    RunningServer.removeTree(requireNonNull(folder));
  }
}
