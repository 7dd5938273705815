package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.InnerPython;
import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.Keys;
import dev.cove.sdk.PortAccess;
import dev.cove.sdk.PortLink;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SharedPort;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts to get into a port that is not open, and of servers inside to harm who asks them. */
class PortAttacksTest {
  private static final int WEB = 3000;
  private static final int HOSTILE = 4000;
  private static final int MOST = 512;

  /** Says, for each path, something that no client should have to hear. */
  private static final String HOSTILE_SERVER =
      """
      import itertools, socket, threading
      waiting = []
      listener = socket.create_server(("127.0.0.1", 4000), backlog=1024)
      def forever(piece):
        return itertools.repeat(piece)
      def serve(peer):
        data = b""
        while b"\\r\\n\\r\\n" not in data:
          data += peer.recv(65536)
        path = data.split(b" ")[1].decode()
        ok = b"HTTP/1.1 200 OK\\r\\n"
        try:
          if path == "/headers":
            peer.sendall(ok)
            for i in forever(b"X-Header: " + b"x" * 100 + b"\\r\\n"): peer.sendall(i)
          elif path == "/interim":
            for i in forever(b"HTTP/1.1 103 Early Hints\\r\\n\\r\\n"): peer.sendall(i)
          elif path == "/line":
            for i in forever(b"x" * 65536): peer.sendall(i)
          elif path == "/split":
            peer.sendall(ok + b"A: b\\rSet-Cookie: evil=1\\r\\nContent-Length: 0\\r\\n\\r\\n")
          elif path == "/lie":
            peer.sendall(ok + b"Content-Length: 5\\r\\nContent-Length: 50\\r\\n\\r\\nhello")
          elif path == "/chunk":
            peer.sendall(ok + b"Transfer-Encoding: chunked\\r\\n\\r\\nFFFFFFFFFFFFFFFFFF\\r\\n")
          elif path == "/huge":
            peer.sendall(ok + b"Content-Length: 107374182400\\r\\n\\r\\n")
            for i in forever(b"x" * 65536): peer.sendall(i)
          elif path == "/wait":
            peer.sendall(ok + b"Content-Type: text/event-stream\\r\\n\\r\\n:\\n\\n")
            waiting.append(peer) # and no thread: a sandbox has fewer of them than connections
            return
        except OSError:
          pass
        peer.close()
      while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer,), daemon=True).start()
      """;

  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Sandbox box;

  @BeforeAll
  static void start() {
    box = SERVER.create();
    serve();
  }

  private static void serve() {
    InnerPython.serveWeb(box, WEB);
    box.spawn(Command.of("python3", "-c", HOSTILE_SERVER));
    InnerPython.awaitListening(box, HOSTILE);
  }

  @AfterAll
  static void end() {
    SERVER.cove().sandboxes().delete(box.id());
  }

  private static String host(int port) {
    return port + "-" + box.id() + ".localhost";
  }

  private static RawHttp.Answer ask(String host, String target, String... fields)
      throws IOException {
    var request = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n");
    for (String field : fields) {
      request.append(field).append("\r\n");
    }
    return RawHttp.to(SERVER).exchange(request.append("Connection: close\r\n\r\n").toString());
  }

  private static String key() {
    return "X-API-Key: " + SERVER.key();
  }

  @Test
  void only_one_spelling_of_a_name_leads_to_a_port_and_none_to_the_api() throws Exception {
    String id = box.id();
    assertThat(ask("3000-" + id + ".localhost", "/", key()).status()).isEqualTo(200);
    assertThat(ask("3000-" + id + ".localhost:443", "/", key()).status()).isEqualTo(200);
    for (String name :
        List.of(
            "03000-" + id + ".localhost",
            "+3000-" + id + ".localhost",
            "\u00b3000-" + id + ".localhost",
            "\u00ef\u00bc\u0093000-" + id + ".localhost",
            "3000-" + id + ".localhost.",
            "3000-" + id.toUpperCase(Locale.ROOT) + ".localhost",
            "3000-" + id + "..localhost",
            "3000-" + id + "@x.localhost",
            "0-" + id + ".localhost",
            "65536-" + id + ".localhost",
            "-1-" + id + ".localhost",
            "3000-" + "a".repeat(14) + ".localhost",
            id + ".localhost",
            "localhost.localhost",
            "api.localhost")) {
      for (String target : List.of("/", "/api/v1/sandboxes", "/healthz")) {
        RawHttp.Answer answer = ask(name, target, key());
        assertThat(answer.status()).as("%s%s: %s", name, target, answer.text()).isIn(400, 404);
        assertThat(answer.text()).doesNotContain("\"items\"").doesNotContain("\"path\"");
      }
    }
    assertThat(ask("localhost", "/", "X-Forwarded-Host: " + host(WEB), key()).status())
        .isEqualTo(404);
    assertThat(ask(host(WEB), "/api/v1/sandboxes", key()).text())
        .contains("\"path\": \"/api/v1/sandboxes\"");
  }

  @Test
  void what_opens_one_port_opens_no_other_and_never_reaches_the_sandbox() throws Exception {
    try (Sandbox other = SERVER.create()) {
      InnerPython.serveWeb(other, WEB);
      SharedPort bearer = box.sharePort(WEB, PortAccess.BEARER);
      PortLink link = box.linkPort(WEB, Duration.ofMinutes(5));
      String token = "Authorization: Bearer " + bearer.token().orElseThrow();
      String query = "/?" + link.url().getRawQuery();
      RawHttp.Answer opened = ask(host(WEB), query, token, key());
      assertThat(opened.status()).isEqualTo(200);
      assertThat(opened.text().substring(opened.text().indexOf("\r\n\r\n")))
          .doesNotContain("cove")
          .doesNotContain("authorization")
          .doesNotContain("x-api-key");
      String cookie = "Cookie: " + opened.text().split("Set-Cookie: ")[1].split(";")[0];
      assertThat(ask(host(WEB), "/", cookie).status()).isEqualTo(200);
      for (String elsewhere :
          List.of(host(HOSTILE), host(3001), "3000-" + other.id() + ".localhost")) {
        assertThat(ask(elsewhere, "/", token).status()).as(elsewhere).isEqualTo(401);
        assertThat(ask(elsewhere, "/", cookie).status()).as(elsewhere).isEqualTo(401);
        assertThat(ask(elsewhere, query).status()).as(elsewhere).isEqualTo(401);
      }
      assertThat(ask("localhost", "/api/v1/sandboxes", token).status()).isEqualTo(401);
      assertThat(ask("localhost", "/api/v1/sandboxes", cookie).status()).isEqualTo(401);
      assertThat(ask("localhost", "/api/v1/sandboxes" + query.substring(1)).status())
          .isEqualTo(401);
    } finally {
      box.unsharePort(WEB);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/headers", "/interim", "/line", "/split", "/lie"})
  void an_answer_that_is_no_http_is_a_502_and_nothing_of_it_comes_through(String path)
      throws Exception {
    RawHttp.Answer answer = ask(host(HOSTILE), path, key());
    assertThat(answer.status()).as(answer.text()).isEqualTo(502);
    assertThat(answer.count()).isEqualTo(1);
    assertThat(answer.text()).contains("bad_gateway").doesNotContain("evil");
  }

  @Test
  void a_chunk_of_impossible_size_ends_the_answer() throws Exception {
    RawHttp.Answer answer = ask(host(HOSTILE), "/chunk", key());
    assertThat(answer.text()).doesNotEndWith("0\r\n\r\n");
  }

  @Test
  void an_endless_answer_costs_no_memory_and_ends_with_its_client() throws Exception {
    try (Socket socket = RawHttp.to(SERVER).open()) {
      socket
          .getOutputStream()
          .write(
              ("GET /huge HTTP/1.1\r\nHost: " + host(HOSTILE) + "\r\n" + key() + "\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      long read = 0;
      byte[] piece = new byte[1 << 16];
      while (read < 256L << 20) { // the server has less memory than two of these
        int n = socket.getInputStream().read(piece);
        assertThat(n).isPositive();
        read += n;
      }
    }
    assertThat(ask(host(WEB), "/", key()).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "Content-Length: -5\r\n\r\nhello",
        "Content-Length: 5x\r\n\r\nhello",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        " Folded: yes\r\n\r\n",
        "X: 1\r\n\tfolded\r\n\r\n",
        "X\u0000: 1\r\n\r\n",
        "X: 1\nY: 2\r\n\r\n",
        "Host: localhost\r\n\r\n"
      })
  void a_request_with_two_meanings_has_none(String rest) throws Exception {
    SharedPort open = box.sharePort(WEB, PortAccess.PUBLIC);
    RawHttp.Answer answer =
        RawHttp.to(SERVER)
            .exchange("POST / HTTP/1.1\r\nHost: " + open.url().getAuthority() + "\r\n" + rest);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.count()).isEqualTo(1);
    box.unsharePort(WEB);
  }

  @Test
  void a_stream_ends_soon_after_its_key_was_revoked() throws Exception {
    Keys.NewKey key = SERVER.cove().keys().create("brief");
    try (Socket socket = waiting("X-API-Key: " + key.key())) {
      SERVER.cove().keys().revoke(key.id());
      long start = System.nanoTime();
      RawHttp.readToEnd(socket);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void what_was_public_is_not_shown_again_once_the_port_is_private() throws Exception {
    box.sharePort(WEB, PortAccess.PUBLIC);
    try (Socket kept = RawHttp.to(SERVER).open()) {
      String first = onKept(kept, "");
      assertThat(first).startsWith("HTTP/1.1 200").contains("ETag: \"x\"").endsWith("seen");
      assertThat(first).contains("Cache-Control: no-cache\r\n");
      assertThat(first).doesNotContain("max-age").doesNotContain("Expires");
      assertThat(onKept(kept, "If-None-Match: \"x\"\r\n")).startsWith("HTTP/1.1 304");

      box.unsharePort(WEB);
      for (String condition : List.of("If-None-Match: \"x\"\r\n", "If-None-Match: *\r\n", "")) {
        String refused = onKept(kept, condition);
        assertThat(refused).startsWith("HTTP/1.1 401").contains("Cache-Control: no-store");
        assertThat(refused).doesNotContain("ETag").doesNotContain("seen");
      }
      String owner = onKept(kept, key() + "\r\n");
      assertThat(owner).startsWith("HTTP/1.1 200").endsWith("seen");
      assertThat(owner).contains("Cache-Control: private, no-cache\r\n").doesNotContain("max-age");
      assertThat(onKept(kept, key() + "\r\nIf-None-Match: \"x\"\r\n")).startsWith("HTTP/1.1 304");
    }
  }

  /** One request on a connection that stays open, and its answer. */
  private static String onKept(Socket socket, String fields) throws IOException {
    String request = "GET /kept HTTP/1.1\r\nHost: " + host(WEB) + "\r\n" + fields + "\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    var answer = new StringBuilder();
    while (answer.indexOf("\r\n\r\n") < 0) {
      int c = socket.getInputStream().read();
      assertThat(c).as("an open connection: %s", answer).isNotNegative();
      answer.append((char) c);
    }
    Matcher length = Pattern.compile("Content-Length: (\\d+)").matcher(answer);
    int left = length.find() ? Integer.parseInt(length.group(1)) : 0;
    byte[] body = socket.getInputStream().readNBytes(left);
    return answer.append(new String(body, StandardCharsets.ISO_8859_1)).toString();
  }

  private static Socket waiting(String field) throws IOException {
    Socket socket = RawHttp.to(SERVER).open();
    String request = "GET /wait HTTP/1.1\r\nHost: " + host(HOSTILE) + "\r\n" + field + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
    assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    return socket;
  }

  @Test
  void one_sandbox_cannot_take_all_connections_and_its_places_come_free_again() throws Exception {
    var open = new ArrayList<Socket>();
    try (Sandbox other = SERVER.create()) {
      InnerPython.serveWeb(other, WEB);
      for (int i = 0; i < MOST; i++) {
        open.add(waiting(key()));
      }
      assertThat(ask(host(HOSTILE), "/wait", key()).status()).isEqualTo(429);
      assertThat(ask("3000-" + other.id() + ".localhost", "/", key()).status()).isEqualTo(200);
      assertThat(box.exec("true").exitCode()).isZero();
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    Awaitility.await("a place is free")
        .atMost(Duration.ofSeconds(20))
        .until(() -> ask(host(WEB), "/", key()).status() == 200);
  }

  @Test
  void settings_outlive_a_crash_and_secrets_are_nowhere_to_be_read() throws Exception {
    SharedPort bearer = box.sharePort(WEB, PortAccess.BEARER);
    SharedPort basic = box.sharePort(HOSTILE, PortAccess.BASIC);
    PortLink link = box.linkPort(WEB, Duration.ofMinutes(5));
    String token = bearer.token().orElseThrow();
    String query = link.url().getRawQuery();
    assertThat(ask(host(WEB), "/?" + query).status()).isEqualTo(200);
    SERVER.kill();
    SERVER.start();
    assertThat(ask(host(WEB), "/", "Authorization: Bearer " + token).status()).isEqualTo(200);
    assertThat(ask(host(WEB), "/?" + query).status()).isEqualTo(200);
    assertThat(ask(host(WEB), "/").status()).isEqualTo(401);
    for (String secret :
        List.of(token, basic.password().orElseThrow(), query.substring(query.indexOf('.') + 1))) {
      try (var files = Files.walk(SERVER.home())) {
        for (Path file : files.filter(PortAttacksTest::mayHoldSecrets).toList()) {
          assertThat(Files.readString(file, StandardCharsets.ISO_8859_1).contains(secret))
              .as(file.toString())
              .isFalse();
        }
      }
    }
    box = SERVER.cove().sandboxes().require(box.id()); // by a client of the new server
    box.unsharePort(WEB);
    box.unsharePort(HOSTILE);
    assertThat(ask(host(WEB), "/?" + query).status()).isEqualTo(401);
  }

  private static boolean mayHoldSecrets(Path file) {
    String name = String.valueOf(file.getFileName());
    return Files.isRegularFile(file) && (name.startsWith("ledger") || name.endsWith(".log"));
  }
}
