package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that are malformed, slow, or abandoned in the middle. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostileConnectionTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final String HOST = "Host: localhost\r\n";

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Sandbox box;

  @BeforeAll
  static void start() {
    box = SERVER.cove().sandboxes().create();
  }

  @AfterAll
  static void end() {
    box.close();
  }

  private static String key() {
    return "X-API-Key: " + SERVER.key() + "\r\n";
  }

  /** Requests that two parsers could read in two ways, by what is wrong with them. */
  static Map<String, String> malformed() {
    String post = "POST /api/v1/keys HTTP/1.1\r\n" + HOST;
    String body = "\r\n\r\n{\"name\":\"smuggled\"}";
    var requests = new HashMap<String, String>();
    requests.put("two lengths", post + "Content-Length: 19\r\nContent-Length: 5" + body);
    requests.put("two lengths in one", post + "Content-Length: 19, 5" + body);
    requests.put("length with a plus", post + "Content-Length: +19" + body);
    requests.put("negative length", post + "Content-Length: -1" + body);
    requests.put("length in hex", post + "Content-Length: 0x13" + body);
    requests.put("length with a blank", post + "Content-Length: 1 9" + body);
    requests.put("length overflow", post + "Content-Length: 18446744073709551635" + body);
    requests.put(
        "length and chunks", post + "Content-Length: 19\r\nTransfer-Encoding: chunked" + body);
    requests.put("unknown encoding", post + "Transfer-Encoding: chunked, identity" + body);
    requests.put(
        "encoding twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x" + body);
    requests.put("blank before colon", post + "Transfer-Encoding : chunked" + body);
    requests.put(
        "bad chunk size", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n");
    requests.put(
        "negative chunk", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n");
    requests.put(
        "huge chunk", post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc");
    requests.put("NUL in a header", post + "X-Odd: a\0b" + body);
    requests.put("folded header", post + "X-Odd: a\r\n b: c" + body);
    requests.put("header without a name", post + ": value" + body);
    requests.put("header with a line feed", post + "X-Odd: a\nX-API-Key: x" + body);
    requests.put("no host", "GET /api/v1/sandboxes HTTP/1.1\r\n\r\n");
    requests.put(
        "two hosts", "GET /api/v1/sandboxes HTTP/1.1\r\n" + HOST + "Host: evil.test\r\n\r\n");
    requests.put("foreign host", "GET /api/v1/sandboxes HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    requests.put(
        "foreign absolute",
        "GET http://evil.test/api/v1/sandboxes HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    requests.put("old version", "GET /api/v1/sandboxes HTTP/0.9\r\n" + HOST + "\r\n");
    requests.put("no version", "GET /api/v1/sandboxes\r\n\r\n");
    requests.put("new version", "GET /api/v1/sandboxes HTTP/9.9\r\n" + HOST + "\r\n");
    requests.put("no method", " /api/v1/sandboxes HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("odd method", "G\u0001T /api/v1/sandboxes HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("connect", "CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("trace", "TRACE /api/v1/sandboxes HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("options", "OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("blank in the target", "GET /api v1 HTTP/1.1\r\n" + HOST + "\r\n");
    requests.put("TLS hello", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003");
    requests.put("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    requests.put("noise", "\u0000\u0001\u0002\u0003\r\n\r\n");
    requests.put(
        "large head", "GET / HTTP/1.1\r\n" + HOST + "X: " + "h".repeat(1 << 20) + "\r\n\r\n");
    requests.put("many headers", "GET / HTTP/1.1\r\n" + HOST + "X: y\r\n".repeat(10_000) + "\r\n");
    return requests;
  }

  static List<String> malformedKinds() {
    return malformed().keySet().stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("malformedKinds")
  void a_malformed_request_is_refused_and_nothing_rides_along(String kind) throws Exception {
    int keysBefore = SERVER.cove().keys().list().size();
    String request = malformed().getOrDefault(kind, "");
    String follower =
        "GET /api/v1/sandboxes HTTP/1.1\r\n" + HOST + key() + "Connection: close\r\n\r\n";
    // With the key in the first header, so that authentication is not what refuses it.
    String keyed =
        request.replaceFirst("\r\nHost: localhost\r\n", "\r\nHost: localhost\r\n" + key());

    RawHttp.Answer answer;
    try (Socket socket = RawHttp.to(SERVER).open()) {
      socket.setSoTimeout(20_000);
      try {
        OutputStream out = socket.getOutputStream();
        out.write((keyed + follower).getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        socket.shutdownOutput();
      } catch (SocketException e) {
        // It has heard enough.
      }
      answer = new RawHttp.Answer(RawHttp.readToEnd(socket));
    }

    assertThat(answer.status()).as(answer.text()).isNotIn(200, 201, 500, 502, 504);
    if (answer.status() != 0) {
      assertThat(answer.status())
          .as(answer.text())
          .isIn(400, 401, 404, 405, 408, 413, 414, 421, 426, 431, 501, 505);
    }
    assertThat(SERVER.cove().keys().list()).hasSize(keysBefore);
    assertThat(SERVER.cove().healthy()).isTrue();
  }

  @Test
  void slow_and_silent_clients_are_cut_off_while_others_are_served() throws Exception {
    try (var bystander = Bystander.in(SERVER.cove())) {
      var slow = new ArrayList<Socket>();
      try {
        for (int i = 0; i < 200; i++) {
          slow.add(begin("GET /api/v1/sandboxes HTTP/1.1\r\nHost: loc"));
        }
        slow.add(begin(""));
        Socket trickling = begin("GET /api/v1/sandboxes HTTP/1.1\r\n");
        slow.add(trickling);
        for (int i = 0; i < 20; i++) {
          slow.add(
              begin(
                  "POST /api/v1/sandboxes HTTP/1.1\r\n"
                      + HOST
                      + key()
                      + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"na"));
        }
        for (int i = 0; i < 20; i++) {
          slow.add(
              begin(
                  "PUT /api/v1/sandboxes/"
                      + box.id()
                      + "/files?path=/tmp/slow HTTP/1.1\r\n"
                      + HOST
                      + key()
                      + "Content-Length: 100000\r\n\r\nabc"));
        }
        List<Socket> sockets = List.copyOf(slow);
        bystander.unharmedBy(() ->
            Awaitility.await("all of them to be cut off")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> {
                  trickle(trickling);
                  return sockets.stream().allMatch(HostileConnectionTest::isCutOff);
                }));
      } finally {
        for (Socket socket : slow) {
          socket.close();
        }
      }
    }
    assertThat(box.files().exists("/tmp/slow")).isFalse();
    assertThat(SERVER.cove().sandboxes().list()).hasSize(1);
  }

  private static Socket begin(String bytes) throws IOException {
    Socket socket = RawHttp.to(SERVER).open();
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
    socket.setSoTimeout(1);
    return socket;
  }

  private static void trickle(Socket socket) {
    try {
      socket.getOutputStream().write('a');
    } catch (IOException e) {
      // It was cut off, as it should be.
    }
  }

  /** Reads what is there without waiting; an answer before the end is fine. */
  private static boolean isCutOff(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      byte[] piece = new byte[4096];
      int n = in.read(piece);
      while (n > 0) {
        n = in.read(piece);
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void a_thousand_idle_connections_keep_nobody_out() throws Exception {
    long before = HostView.openFiles(SERVER.pid());
    var idle = new ArrayList<Socket>();
    try (var bystander = Bystander.in(SERVER.cove())) {
      bystander.unharmedBy(() -> {
        for (int i = 0; i < 1_000; i++) {
          idle.add(RawHttp.to(SERVER).open());
        }
      });
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> HostView.openFiles(SERVER.pid()) <= before + 16);
  }

  private static Socket openWebSocket(String target) throws IOException {
    Socket socket = RawHttp.to(SERVER).open();
    socket
        .getOutputStream()
        .write(
            ("GET "
                    + target
                    + " HTTP/1.1\r\n"
                    + HOST
                    + key()
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int c = socket.getInputStream().read();
      assertThat(c).as("the handshake so far: %s", head).isNotNegative();
      head.append((char) c);
    }
    assertThat(head.toString()).startsWith("HTTP/1.1 101");
    return socket;
  }

  /** A masked frame with a zero mask; the length may lie. */
  private static byte[] frame(int firstByte, long announced, byte[] payload) {
    var frame = ByteBuffer.allocate(14 + payload.length);
    frame.put((byte) firstByte);
    if (announced < 126) {
      frame.put((byte) (0x80 | announced));
    } else if (announced < 65_536) {
      frame.put((byte) (0x80 | 126)).putShort((short) announced);
    } else {
      frame.put((byte) (0x80 | 127)).putLong(announced);
    }
    frame.putInt(0).put(payload).flip();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }

  private static String attach() {
    return "/api/v1/sandboxes/" + box.id() + "/attach";
  }

  static Map<String, byte[]> brokenFrames() {
    byte[] start =
        "{\"type\":\"start\",\"command\":[\"cat\"],\"stdin\":true}"
            .getBytes(StandardCharsets.UTF_8);
    var frames = new HashMap<String, byte[]>();
    frames.put("no mask", new byte[] {(byte) 0x81, 2, '{', '}'});
    frames.put("reserved bits", frame(0xf1, 2, new byte[] {'{', '}'}));
    frames.put("unknown opcode", frame(0x83, 2, new byte[] {'{', '}'}));
    frames.put("continuation first", frame(0x80, 2, new byte[] {'{', '}'}));
    frames.put("fragmented ping", frame(0x09, 0, new byte[0]));
    frames.put("long ping", frame(0x89, 1000, new byte[1000]));
    frames.put("negative length", frame(0x82, -1, new byte[0]));
    frames.put("length of two exabytes", frame(0x81, 1L << 61, start));
    frames.put("broken UTF-8", frame(0x81, 2, new byte[] {(byte) 0xc3, (byte) 0x28}));
    frames.put("not JSON", frame(0x81, 5, "hello".getBytes(StandardCharsets.UTF_8)));
    frames.put("binary before start", frame(0x82, 3, new byte[] {1, 2, 3}));
    frames.put("other type", json("{\"type\":\"stdin-end\"}"));
    frames.put("no command", json("{\"type\":\"start\"}"));
    frames.put(
        "unknown field", json("{\"type\":\"start\",\"command\":[\"true\"],\"privileged\":true}"));
    frames.put(
        "absurd terminal",
        json(
            "{\"type\":\"start\",\"command\":[\"true\"],\"terminal\":{\"rows\":-1,\"cols\":99999}}"));
    frames.put("deep", json("{\"type\":" + "[".repeat(50_000)));
    frames.put("long text", json(" ".repeat(400_000)));
    return frames;
  }

  private static byte[] json(String text) {
    return frame(0x81, text.length(), text.getBytes(StandardCharsets.UTF_8));
  }

  static List<String> brokenFrameKinds() {
    return brokenFrames().keySet().stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("brokenFrameKinds")
  void a_broken_frame_costs_its_own_socket(String kind) throws Exception {
    byte[] frame = brokenFrames().getOrDefault(kind, new byte[0]);
    try (Socket socket = openWebSocket(attach())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(frame);
      socket.getOutputStream().flush();
      if (kind.contains("length")) {
        // What was announced never comes; the other side may wait, but for nothing large.
        socket.shutdownOutput();
      }
      RawHttp.readToEnd(socket);
    }
    assertThat(box.exec("echo", "ok").stdout()).isEqualTo("ok\n");
    assertThat(box.processes().stream().filter(ProcessInfo::running)).isEmpty();
  }

  @Test
  void half_a_frame_holds_up_nobody_and_is_given_up() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    byte[] whole = json("{\"type\":\"start\",\"command\":[\"cat\"],\"stdin\":true}");
    try (var bystander = Bystander.in(SERVER.cove())) {
      var halves = new ArrayList<Socket>();
      try {
        for (int i = 0; i < 50; i++) {
          Socket socket = openWebSocket(attach());
          socket.getOutputStream().write(whole, 0, 4 + i % (whole.length - 5));
          socket.setSoTimeout(1);
          halves.add(socket);
        }
        bystander.unharmedBy(() ->
            Awaitility.await("half-sent frames to be given up")
                .atMost(Duration.ofSeconds(75))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> halves.stream().allMatch(HostileConnectionTest::isCutOff)));
      } finally {
        for (Socket socket : halves) {
          socket.close();
        }
      }
    }
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(64L << 20);
  }

  @Test
  void a_socket_that_vanishes_takes_its_command_along() throws Exception {
    try (Socket socket = openWebSocket(attach())) {
      socket
          .getOutputStream()
          .write(json("{\"type\":\"start\",\"command\":[\"sleep\",\"300\"],\"stdin\":true}"));
      Awaitility.await().until(() -> !running().isEmpty());
      // Half a frame of input, and then a reset instead of a close.
      socket.getOutputStream().write(frame(0x82, 1000, new byte[10]));
      socket.setSoLinger(true, 0);
    }
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> running().isEmpty());
  }

  private static List<HostView.HostProcess> running() throws IOException {
    return HostView.processesOf(box.id()).stream()
        .filter(process -> process.field("Name").equals("sleep"))
        .toList();
  }

  @Test
  void a_web_page_of_another_site_cannot_use_the_api() throws Exception {
    String upgrade =
        """
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        """
            .replace("\n", "\r\n");
    for (String origin : List.of("http://evil.test", "null", "http://localhost.evil.test")) {
      RawHttp.Answer answer =
          RawHttp.to(SERVER)
              .exchange(
                  "GET "
                      + attach()
                      + " HTTP/1.1\r\n"
                      + HOST
                      + key()
                      + upgrade
                      + "Origin: "
                      + origin
                      + "\r\n\r\n");
      assertThat(answer.status()).as(origin).isEqualTo(403);
      RawHttp.Answer preflight =
          RawHttp.to(SERVER)
              .exchange(
                  "OPTIONS /api/v1/sandboxes HTTP/1.1\r\n"
                      + HOST
                      + "Connection: close\r\nOrigin: "
                      + origin
                      + "\r\nAccess-Control-Request-Method: POST\r\n\r\n");
      assertThat(preflight.text().toLowerCase(Locale.ROOT)).doesNotContain("access-control-allow");
    }
  }
}
