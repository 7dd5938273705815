package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Network;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SecretBinding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * TLS is ended and a secret put in, and programs notice nothing of it: real clients in a sandbox
 * speak whatever they would speak to the server itself.
 */
class ProtocolsTest {
  private static final String VALUE = "sk-live-2b7e151628ae";

  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("modern.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(world::settings);

  private static ModernPlace place;
  private static Sandbox box;

  @BeforeAll
  static void begin() throws Exception {
    place = world.modern("modern.test", "127.77.5.1");
    server.cove().secrets().set("API_KEY", VALUE);
    box =
        server.create(
            CreateOptions.defaults()
                .network(Network.denying().allow("modern.test"))
                .secret(SecretBinding.bearer("API_KEY", "modern.test")));
  }

  @AfterAll
  static void end() throws IOException {
    place.close();
    box.close();
  }

  private static String url(String path) {
    return "https://modern.test:%d%s".formatted(place.port(), path);
  }

  private static void requireProgram(String name) {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin", name)), "this host has no " + name + " to lend");
  }

  private static String succeeded(ExecResult result) {
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout();
  }

  /** The server saw the secret, and the program in the sandbox did not. */
  private static void assertSwapped(String how, String answer) {
    assertThat(place.seen()).last().isEqualTo(how + " Bearer " + VALUE);
    assertThat(answer).contains("coveplaceholder").doesNotContain(VALUE);
  }

  @Test
  void curl_speaks_http_2() {
    String answer =
        succeeded(
            box.exec(
                Command.shell(
                    "curl -sS --http2 -w ' by %%{http_version}' -H \"Authorization: Bearer $API_KEY\" %s"
                        .formatted(url("/x")))));
    assertThat(answer).startsWith("HTTP/2.0 Bearer").endsWith(" by 2");
    assertSwapped("/x HTTP/2.0", answer);
  }

  @Test
  void javas_client_speaks_http_2_unasked() {
    requireProgram("java");
    box.files()
        .write(
            "/tmp/Ask.java",
            """
            import java.net.URI;
            import java.net.http.*;
            class Ask {
              public static void main(String[] a) throws Exception {
                var request = HttpRequest.newBuilder(URI.create(a[0]))
                    .header("Authorization", "Bearer " + System.getenv("API_KEY")).build();
                var got = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                System.out.println(got.version() + " " + got.body());
              }
            }
            """);
    String answer = succeeded(box.exec("java", "/tmp/Ask.java", url("/y")));
    assertThat(answer).startsWith("HTTP_2 HTTP/2.0 Bearer");
    assertSwapped("/y HTTP/2.0", answer);
  }

  @Test
  void calls_of_grpc_keep_their_bytes_and_their_trailers() {
    requireProgram("node");
    String client =
        """
        const http2 = require("http2");
        const session = http2.connect(process.argv[1]);
        const call = session.request({ ":method": "POST", ":path": "/call", "te": "trailers",
          "content-type": "application/grpc", "authorization": "Bearer " + process.env.API_KEY });
        const bytes = [];
        call.on("data", (piece) => bytes.push(piece));
        call.on("trailers", (fields) =>
          console.log(fields["grpc-status"], fields["grpc-message"]));
        call.on("end", () => { console.log(Buffer.concat(bytes).toString("hex")); session.close(); });
        call.on("error", (e) => { console.log(e.message); process.exit(1); });
        call.end(Buffer.from("00000000050a0362697a", "hex"));
        """;
    String answer = succeeded(box.exec("node", "-e", client, url("")));
    assertThat(answer).contains("0 for Bearer coveplaceholder").contains("00000000050a0362697a\n");
    assertSwapped("/call HTTP/2.0", answer);
  }

  @Test
  void events_arrive_when_they_are_sent() throws Exception {
    try (RunningCommand client =
            box.start(
                Command.shell(
                    "curl -sSN -H \"Authorization: Bearer $API_KEY\" " + url("/events")));
        var lines =
            new BufferedReader(new InputStreamReader(client.stdout(), StandardCharsets.UTF_8))) {
      String first = lines.readLine();
      assertSwapped("/events HTTP/2.0", first);
      place.sendSecondEvent();
      assertThat(lines.readLine()).isEmpty();
      assertThat(lines.readLine()).isEqualTo("data: second");
    }
  }

  @Test
  void a_web_socket_opens_with_the_secret_and_carries_messages() {
    String client =
        """
        import base64, os, socket, ssl, struct, sys
        host, port = sys.argv[1], int(sys.argv[2])
        peer = ssl.create_default_context().wrap_socket(
            socket.create_connection((host, port)), server_hostname=host)
        peer.sendall(("GET /socket HTTP/1.1\\r\\nHost: %s:%d\\r\\nUpgrade: websocket\\r\\n"
            "Connection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: %s\\r\\n"
            "Authorization: Bearer %s\\r\\n\\r\\n" % (host, port,
            base64.b64encode(os.urandom(16)).decode(), os.environ["API_KEY"])).encode())
        there = peer.makefile("rb")
        print(there.readline().decode().strip())
        while there.readline().strip(): pass
        for text in (b"hello", b"x" * 3000):
          length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\\xfe" + struct.pack(">H", len(text))
          peer.sendall(b"\\x81" + length + b"\\0\\0\\0\\0" + text)
          size = there.read(2)[1]
          if size == 126: size = struct.unpack(">H", there.read(2))[0]
          print(there.read(size).decode()[-20:])
        """;
    String answer =
        succeeded(box.exec("python3", "-c", client, "modern.test", String.valueOf(place.port())));
    assertThat(place.seen()).last().isEqualTo("socket HTTP/1.1 Bearer " + VALUE);
    int length = ("Bearer " + VALUE).length();
    assertThat(answer.lines())
        .containsExactly(
            "HTTP/1.1 101 Switching Protocols",
            "hello for " + length,
            "x".repeat(20 - " for 27".length()) + " for " + length);
  }
}
