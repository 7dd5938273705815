package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.PortAccess;
import dev.cove.sdk.PortForward;
import dev.cove.sdk.PortLink;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SharedPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Ports of sandboxes as addresses, with a real web server inside that listens on 127.0.0.1. */
class PortUrlsTest {
  private static final int PORT = 3000;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Sandbox box;

  @SuppressWarnings("NullAway.Init") // set before every test
  private static HttpClient client;

  @BeforeAll
  static void start() {
    box = server.create();
    InnerPython.serveWeb(box, PORT);
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @AfterAll
  static void end() {
    client.shutdownNow();
    client.close();
    box.close();
  }

  private static URI at(String path) {
    return server.url().resolve("/p/" + box.id() + "/" + PORT + path);
  }

  private static HttpRequest.Builder request(URI uri) {
    return HttpRequest.newBuilder(uri)
        .timeout(Duration.ofMinutes(2))
        .header("X-API-Key", server.key());
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return client.send(request(at(path)).build(), BodyHandlers.ofString());
  }

  private static int statusOf(URI uri, String... headers) throws Exception {
    var request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  private static String sha256(InputStream in) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256");
    try (var hashed = new DigestInputStream(in, digest)) {
      hashed.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static JsonNode parse(String json) {
    return JsonMapper.shared().readTree(json);
  }

  @Test
  void a_server_that_listens_on_loopback_only_is_reached_and_sees_nothing_of_ours()
      throws Exception {
    JsonNode seen = parse(get("/a%20b?c=d").body());
    assertThat(seen.get("path").asString()).isEqualTo("/a%20b?c=d");
    assertThat(seen.get("fields").propertyNames())
        .contains("x-forwarded-for", "x-forwarded-prefix");
    assertThat(seen.toString()).doesNotContain(server.key()).doesNotContain("x-api-key");
  }

  @Test
  void a_paused_sandbox_answers_also_those_whose_connections_were_kept() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(get("/before").statusCode()).isEqualTo(200);
      box.pause();
      assertThat(get("/after").statusCode()).isEqualTo(200);
      assertThat(box.fetchInfo().state()).isEqualTo("running");
    }
  }

  @Test
  void who_waits_for_an_answer_wakes_a_sandbox_that_is_paused_in_the_middle_of_it()
      throws Exception {
    for (String path : List.of("/late", "/halves")) {
      var answer = client.sendAsync(request(at(path)).build(), BodyHandlers.ofString());
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> box.files().exists("/tmp/asked" + path.replace('/', '-')));
      box.pause();
      assertThat(answer.get(60, TimeUnit.SECONDS).body()).isEqualTo("on it");
    }
  }

  @Test
  void no_request_hangs_when_the_sandbox_is_paused_again_and_again() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var over = new AtomicBoolean();
      Future<Integer> asked =
          threads.submit(() -> {
            int count = 0;
            while (!over.get()) {
              assertThat(get("/x").statusCode()).isEqualTo(200);
              count++;
            }
            return count;
          });
      for (int i = 0; i < 40; i++) {
        box.pause();
      }
      over.set(true);
      assertThat(asked.get(30, TimeUnit.SECONDS)).isPositive();
    } finally {
      box.resume();
    }
  }

  @Test
  void the_address_by_name_works_where_localhost_names_lead_here() throws Exception {
    SharedPort shared = box.sharePort(PORT, PortAccess.PUBLIC);
    assertThat(shared.url().getHost()).isEqualTo(PORT + "-" + box.id() + ".localhost");
    String request =
        "GET /x HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
            .formatted(shared.url().getAuthority());
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), shared.url().getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String reply =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertThat(reply).startsWith("HTTP/1.1 200 ").contains(shared.url().getAuthority());
    } finally {
      box.unsharePort(PORT);
    }
  }

  @Test
  void a_large_upload_goes_through_whole_with_and_without_a_length() throws Exception {
    long size = 64L << 20;
    String expected = size + " " + sha256(SampleBytes.of(size));
    var streamed = BodyPublishers.ofInputStream(() -> SampleBytes.of(size));
    for (var body : List.of(streamed, BodyPublishers.fromPublisher(streamed, size))) {
      HttpResponse<String> reply =
          client.send(request(at("/up")).POST(body).build(), BodyHandlers.ofString());
      assertThat(reply.body()).isEqualTo(expected);
    }
  }

  @Test
  void an_answer_before_the_end_of_an_upload_comes_through() throws Exception {
    HttpResponse<String> reply =
        client.send(
            request(at("/refuse"))
                .POST(BodyPublishers.ofInputStream(() -> SampleBytes.of(16 << 20)))
                .build(),
            BodyHandlers.ofString());
    assertThat(reply.statusCode()).isEqualTo(413);
    assertThat(reply.body()).isEqualTo("no");
  }

  @Test
  void events_arrive_when_they_are_sent() throws Exception {
    var reply = client.send(request(at("/events")).build(), BodyHandlers.ofInputStream());
    try (var lines =
        new BufferedReader(new InputStreamReader(reply.body(), StandardCharsets.UTF_8))) {
      for (int i = 0; i < 3; i++) {
        String[] event = lines.readLine().split(" ");
        double lateSeconds = System.currentTimeMillis() / 1000.0 - Double.parseDouble(event[2]);
        assertThat(event[1]).isEqualTo(Integer.toString(i));
        assertThat(lateSeconds).isLessThan(2);
        assertThat(lines.readLine()).isEmpty();
      }
    }
  }

  @Test
  void a_web_socket_echoes_short_and_long_messages() throws Exception {
    var listener = new Messages();
    URI uri = URI.create(at("/socket").toString().replaceFirst("http", "ws"));
    WebSocket socket =
        client
            .newWebSocketBuilder()
            .header("X-API-Key", server.key())
            .buildAsync(uri, listener)
            .get(30, TimeUnit.SECONDS);
    for (int size : List.of(1, 1_000, 300_000)) {
      String message = "x".repeat(size);
      socket.sendText(message, true).get(30, TimeUnit.SECONDS);
      assertThat(listener.received.poll(30, TimeUnit.SECONDS)).isEqualTo(message);
    }
    socket.sendClose(1000, "done").get(30, TimeUnit.SECONDS);
    assertThat(listener.received.poll(30, TimeUnit.SECONDS)).isEqualTo("closed 1000");
  }

  private static final class Messages implements WebSocket.Listener {
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        received.add(text.toString());
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      received.add("closed " + code);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
      socket.request(1);
      return null;
    }
  }

  @Test
  void answers_of_every_shape_come_through() throws Exception {
    assertThat(get("/nothing").statusCode()).isEqualTo(204);
    assertThat(get("/same").statusCode()).isEqualTo(304);
    assertThat(get("/same").headers().firstValue("ETag")).contains("\"x\"");
    assertThat(get("/chunks").body()).isEqualTo("hello chunk");
    var head = request(at("/")).method("HEAD", BodyPublishers.noBody()).build();
    HttpResponse<String> headed = client.send(head, BodyHandlers.ofString());
    assertThat(headed.headers().firstValueAsLong("Content-Length")).isPresent();
    assertThat(headed.body()).isEmpty();
    assertThatThrownBy(() -> get("/early")).isInstanceOf(IOException.class);
  }

  @Test
  void connections_inside_are_used_for_more_than_one_request() throws Exception {
    var peers = new HashSet<Integer>();
    for (int i = 0; i < 50; i++) {
      peers.add(parse(get("/").body()).get("peer").asInt());
    }
    assertThat(peers).hasSizeLessThan(5);
  }

  @Test
  void many_requests_at_once_each_get_their_own_answer() throws Exception {
    List<String> answers =
        AtOnce.times(
            20,
            i -> {
              for (int j = 0; j < 20; j++) {
                String path = "/" + i + "/" + j;
                assertThat(parse(get(path).body()).get("path").asString()).isEqualTo(path);
              }
              return "done";
            });
    assertThat(answers).hasSize(20).containsOnly("done");
  }

  @Test
  void http2_goes_to_the_same_place() throws Exception {
    try (var two = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> reply =
            two.send(request(at("/" + i)).build(), BodyHandlers.ofString());
        assertThat(reply.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(parse(reply.body()).get("path").asString()).isEqualTo("/" + i);
      }
      long size = 16L << 20;
      var upload = BodyPublishers.ofInputStream(() -> SampleBytes.of(size));
      HttpResponse<String> reply =
          two.send(request(at("/up")).POST(upload).build(), BodyHandlers.ofString());
      assertThat(reply.body()).isEqualTo(size + " " + sha256(SampleBytes.of(size)));
    }
  }

  @Test
  void a_link_opened_in_a_browser_leaves_it_let_in() throws Exception {
    try (Sandbox other = server.create()) {
      InnerPython.serveWeb(other, PORT);
      PortLink link = other.linkPort(PORT, Duration.ofMinutes(5));
      assertThat(statusOf(link.pathUrl())).isEqualTo(200);
      var page = HttpRequest.newBuilder(link.pathUrl()).header("Accept", "text/html").build();
      HttpResponse<Void> sentOn = client.send(page, BodyHandlers.discarding());
      assertThat(sentOn.statusCode()).isEqualTo(303);
      URI next = URI.create(sentOn.headers().firstValue("Location").orElseThrow());
      assertThat(link.pathUrl().toString()).startsWith(next + "?cove-link=");
      String cookie = sentOn.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
      var shown = HttpRequest.newBuilder(next).header("Cookie", "a=b; " + cookie).build();
      String seen = client.send(shown, BodyHandlers.ofString()).body();
      assertThat(seen).contains("a=b").doesNotContain("cove-port").doesNotContain("cove-link");
      other.unsharePort(PORT);
      assertThat(statusOf(next, "Cookie", cookie)).isEqualTo(401);
      assertThat(statusOf(link.pathUrl())).isEqualTo(401);
    }
  }

  @Test
  void a_setting_is_told_without_its_secret_and_goes_with_its_sandbox() throws Exception {
    try (Sandbox other = server.create()) {
      InnerPython.serveWeb(other, PORT);
      SharedPort shared = other.sharePort(PORT, PortAccess.BEARER, Duration.ofHours(1));
      String bearer = "Bearer " + shared.token().orElseThrow();
      assertThat(statusOf(shared.pathUrl())).isEqualTo(401);
      assertThat(statusOf(shared.pathUrl(), "Authorization", bearer)).isEqualTo(200);
      assertThat(other.ports())
          .singleElement()
          .satisfies(port -> {
            assertThat(port.access()).isEqualTo("bearer");
            assertThat(port.token()).isEmpty();
            assertThat(port.expiresAt()).isPresent();
          });
      other.delete();
      assertThat(statusOf(shared.pathUrl(), "Authorization", bearer)).isEqualTo(404);
    }
  }

  @Test
  void the_command_line_prints_addresses_and_revokes_them() throws Exception {
    Cli cli = Cli.of(server);
    try (Sandbox other = server.create()) {
      InnerPython.serveWeb(other, PORT);
      String port = Integer.toString(PORT);
      URI link =
          URI.create(cli.run("url", other.id(), port, "--path").succeeded().stdout().strip());
      assertThat(statusOf(link)).isEqualTo(200);
      List<String> basic =
          cli.run("url", other.id(), port, "--basic", "--path", "--expires", "2h")
              .succeeded()
              .stdout()
              .lines()
              .toList();
      assertThat(basic).hasSize(2);
      assertThat(basic.get(1)).startsWith("cove:cove_port_");
      assertThat(statusOf(link)).as("a link from before").isEqualTo(401);
      JsonNode list = parse(cli.run("url", other.id(), "--json").succeeded().stdout());
      assertThat(list).hasSize(1);
      assertThat(list.get(0).get("access").asString()).isEqualTo("basic");
      URI open =
          URI.create(
              parse(cli.run("url", other.id(), port, "--public", "--json").succeeded().stdout())
                  .get("pathUrl")
                  .asString());
      assertThat(statusOf(open)).isEqualTo(200);
      cli.run("url", other.id(), port, "--revoke").succeeded();
      assertThat(statusOf(open)).isEqualTo(401);
      assertThat(cli.run("url", other.id(), port, "--public", "--basic").exitCode()).isEqualTo(2);
      assertThat(cli.run("url", other.id(), "065", "--public").exitCode()).isEqualTo(2);
    }
  }

  @Test
  void forwarded_ports_carry_any_tcp_and_end_with_ctrl_c() throws Exception {
    Cli cli = Cli.of(server);
    int one = freePort();
    int other = freePort();
    Cli.Running running = cli.start("forward", box.id(), one + ":" + PORT, other + ":" + PORT);
    for (int local : List.of(one, other)) {
      Awaitility.await("port " + local + " to be forwarded")
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> statusOf(URI.create("http://127.0.0.1:" + local + "/")) == 200);
    }
    new ProcessBuilder("kill", "-INT", Long.toString(running.process().pid())).start().waitFor();
    assertThat(cli.await(running).succeeded().stdout())
        .isEqualTo(
            "127.0.0.1:%d -> %s:%d\n127.0.0.1:%d -> %s:%d\n"
                .formatted(one, box.id(), PORT, other, box.id(), PORT));
    assertThat(cli.run("forward", box.id(), "1:2:3").exitCode()).isEqualTo(2);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void the_sdk_puts_a_port_on_this_machine() throws Exception {
    var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    URI uri;
    try (PortForward forward = box.forward(any, PORT)) {
      uri = URI.create("http://127.0.0.1:" + forward.local().getPort() + "/");
      assertThat(statusOf(uri)).isEqualTo(200);
    }
    assertThatThrownBy(() -> statusOf(uri)).isInstanceOf(IOException.class);
  }
}
