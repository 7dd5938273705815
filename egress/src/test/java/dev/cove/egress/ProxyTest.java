package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.testing.world.WorldServer;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proxy for programs that insist on one knows the same rules. */
class ProxyTest {
  private static final String ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";

  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws Exception {
    server = new WorldServer("127.77.0.1", WorldServer.ECHO);
    inside = Inside.with(folder, Inside.allowing("a.test:" + server.port(), "127.77.0.1:443"));
    inside.world.put("a.test", "127.77.0.1");
    inside.world.put("evil.test", "127.77.0.1");
  }

  @AfterEach
  void close() throws Exception {
    inside.close();
    server.close();
  }

  @Test
  void a_tunnel_carries_tls_to_the_host_that_it_was_made_to() throws Exception {
    String hello = new Hello().name("a.test").text();
    try (Socket socket = inside.proxy()) {
      Talk.say(
          socket, "CONNECT a.test:%d HTTP/1.1\r\nHost: a.test\r\n\r\n".formatted(server.port()));
      assertThat(Talk.hear(socket, ESTABLISHED.length())).isEqualTo(ESTABLISHED);
      Talk.say(socket, hello);
      assertThat(Talk.hear(socket, hello.length())).isEqualTo(hello);
    }
  }

  @Test
  void a_tunnel_carries_nothing_else() throws Exception {
    for (String inner :
        new String[] {
          new Hello().name("evil.test").text(),
          new Hello().text(),
          "SSH-2.0-x\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "CONNECT evil.test:443 HTTP/1.1\r\n\r\n"
        }) {
      String request = "CONNECT a.test:%d HTTP/1.1\r\n\r\n".formatted(server.port());
      assertThat(Talk.answer(inside.proxy(), request + inner))
          .isIn(ESTABLISHED + Talk.ALERT, ESTABLISHED + Talk.RESET, Talk.RESET);
    }
    assertThat(server.got()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.test:443",
        "a.test:22",
        "a.test.evil.test:443",
        "127.0.0.1:443",
        "127.77.0.1:22",
        "[::1]:443",
        "[::ffff:127.0.0.1]:443",
        "198.18.0.1:3128",
        "198.18.0.1:53"
      })
  void a_tunnel_to_what_may_not_be_reached_is_refused(String target) throws Exception {
    assertThat(Talk.answer(inside.proxy(), "CONNECT %s HTTP/1.1\r\n\r\n".formatted(target)))
        .startsWith("HTTP/1.1 403 ")
        .contains("X-Cove-Denied: ");
    assertThat(server.connections()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CONNECT a.test HTTP/1.1",
        "CONNECT a.test:0443 HTTP/1.1",
        "CONNECT a.test:443/ HTTP/1.1",
        "CONNECT x@a.test:443 HTTP/1.1",
        "CONNECT http://a.test:443 HTTP/1.1",
        "CONNECT 0x7f000001:443 HTTP/1.1",
        "CONNECT 127.1:443 HTTP/1.1",
        "CONNECT 2130706433:443 HTTP/1.1",
        "CONNECT ::1:443 HTTP/1.1",
        "GET / HTTP/1.1",
        "GET https://a.test/ HTTP/1.1",
        "GET http://x@a.test/ HTTP/1.1",
        "GET ftp://a.test/ HTTP/1.1",
        "GET http://127.1/ HTTP/1.1"
      })
  void what_names_no_host_plainly_is_refused(String line) throws Exception {
    assertThat(Talk.answer(inside.proxy(), line + "\r\nHost: a.test\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
    assertThat(server.connections()).isZero();
  }

  @Test
  void a_request_by_proxy_goes_out_as_if_it_had_been_made_directly() throws Exception {
    String target = "a.test:" + server.port();
    try (Socket socket = inside.proxy()) {
      Talk.say(
          socket,
          "GET http://%s/x?y HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: secret\r\nProxy-Connection: keep-alive\r\nX-A: b\r\n\r\n"
              .formatted(target, target));
      String expected =
          "GET /x?y HTTP/1.1\r\nHost: %s\r\nX-A: b\r\nConnection: close\r\n\r\n".formatted(target);
      while (server.got().length() < expected.length()) {
        Thread.sleep(5);
      }
      assertThat(server.got()).isEqualTo(expected);
    }
  }

  @Test
  void a_request_by_proxy_is_held_to_the_same_rules() throws Exception {
    assertThat(
            Talk.answer(
                inside.proxy(), "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ");
    String mismatch =
        "GET http://a.test:%d/ HTTP/1.1\r\nHost: evil.test\r\n\r\n".formatted(server.port());
    assertThat(Talk.answer(inside.proxy(), mismatch)).startsWith("HTTP/1.1 421 ");
    assertThat(
            Talk.answer(
                inside.proxy(),
                "GET http://169.254.169.254/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ")
        .contains("never metadata");
    assertThat(server.connections()).isZero();
  }
}
