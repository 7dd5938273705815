package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.testing.world.WorldServer;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP without TLS: each request is for the host that was asked for, and one request only. */
class PlainHttpTest {
  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws Exception {
    inside = Inside.with(folder, Inside.allowing("a.test"));
    server = new WorldServer("127.77.0.1", PlainHttpTest::answer);
    inside.world.put("a.test", "127.77.0.1");
  }

  @AfterEach
  void close() throws Exception {
    inside.close();
    server.close();
  }

  /** Answers heads in turn, with a body for /long and an upgrade for /up. */
  private static void answer(Socket socket, ByteArrayOutputStream seen) throws Exception {
    var in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
    for (String first = in.readLine(); first != null; first = in.readLine()) {
      synchronized (seen) {
        seen.writeBytes((first + "\n").getBytes(StandardCharsets.ISO_8859_1));
      }
      int length = 0;
      for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
        synchronized (seen) {
          seen.writeBytes((line + "\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        length =
            line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : length;
      }
      char[] body = new char[length];
      for (int n = 0; n < length; n += in.read(body, n, length - n)) {}
      if (first.contains("/up ")) {
        Talk.say(
            socket,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
        socket.getInputStream().transferTo(socket.getOutputStream());
        return;
      }
      if (first.contains("/chunks ")) {
        Talk.say(
            socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
      } else if (first.contains("/old ")) {
        Talk.say(socket, "HTTP/1.0 200 OK\r\n\r\nuntil the end");
        return;
      } else {
        String path = first.split(" ")[1];
        Talk.say(
            socket,
            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s"
                .formatted(path.length() + length, path, new String(body)));
      }
    }
  }

  @Test
  void requests_to_the_asked_for_host_pass_one_after_another() throws Exception {
    try (Socket socket = connect()) {
      Talk.say(socket, "GET /1 HTTP/1.1\r\nHost: a.test\r\n\r\n");
      assertThat(Talk.hear(socket, 40)).endsWith("\r\n\r\n/1");
      Talk.say(
          socket,
          "POST /2 HTTP/1.1\r\nHost: A.test:%d\r\nContent-Length: 4\r\n\r\nbody"
              .formatted(server.port()));
      assertThat(Talk.hear(socket, 44)).endsWith("/2body");
      Talk.say(
          socket,
          "GET http://a.test:%d/3 HTTP/1.1\r\nHost: a.test\r\n\r\n".formatted(server.port()));
      assertThat(Talk.hear(socket, 38)).contains("200 OK");
    }
    assertThat(server.connections()).isOne();
  }

  @Test
  void pipelined_requests_are_each_looked_at() throws Exception {
    String good = "GET /1 HTTP/1.1\r\nHost: a.test\r\n\r\n";
    String bad = "GET /2 HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    assertThat(Talk.answer(connect(), good + bad)).contains("/1HTTP/1.1 421 ");
    assertThat(server.got()).doesNotContain("evil").doesNotContain("/2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test.evil.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test:1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test@evil.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.77.0.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET http://evil.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test@evil.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET evil.test HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"
      })
  void a_request_for_another_host_does_not_go_out(String request) throws Exception {
    assertThat(Talk.answer(connect(), request)).startsWith("HTTP/1.1 421 ");
    assertThat(server.got()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: a.test\r\nHost: evil.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a.test\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a.test\r\n\r\n",
        "GET / HTTP/1.1\nHost: a.test\n\n",
        "GET / HTTP/1.1\r\nHost: a.test\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\u0000b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\rb\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET\t/ HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n",
        "GET / http/1.1\r\nHost: a.test\r\n\r\n",
        "GET /\r\nHost: evil.test\r\n\r\n",
        "get / HTTP/0.9\r\nHost: a.test\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4, 4\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: +4\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0x4\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 99999999999999999999\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: -1\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      })
  void a_request_that_could_be_read_in_two_ways_does_not_go_out(String request) throws Exception {
    assertThat(Talk.answer(connect(), request)).startsWith("HTTP/1.1 400 ");
    assertThat(server.got()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4;x=y\r\nbody\r\n0\r\n\r\n",
        "4\nbody\r\n0\r\n\r\n",
        "+4\r\nbody\r\n0\r\n\r\n",
        "4 \r\nbody\r\n0\r\n\r\n",
        "0x4\r\nbody\r\n0\r\n\r\n",
        "3\r\nbody\r\n0\r\n\r\n",
        "fffffffffffffffff\r\nbody\r\n0\r\n\r\n",
        "0\r\nContent-Length: 3\r\n\r\n",
        "0\r\nHost: evil.test\r\n\r\n",
        "0\r\n bad\r\n\r\n"
      })
  void chunks_that_could_be_read_in_two_ways_end_the_connection(String chunks) throws Exception {
    String head = "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n";
    String next = "GET /next HTTP/1.1\r\nHost: a.test\r\n\r\n";
    assertThat(Talk.answer(connect(), head + chunks + next)).doesNotContain("/next");
    assertThat(server.got()).doesNotContain("/next");
  }

  @Test
  void answers_of_every_framing_pass() throws Exception {
    assertThat(Talk.answer(connect(), "GET /old HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        .endsWith("until the end");
    assertThat(
            Talk.answer(
                connect(), "GET /chunks HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"))
        .endsWith("3\r\nabc\r\n0\r\n\r\n");
  }

  @Test
  void after_an_agreed_upgrade_everything_passes() throws Exception {
    try (Socket socket = connect()) {
      Talk.say(
          socket, "GET /up HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      assertThat(Talk.hear(socket, 69)).startsWith("HTTP/1.1 101").endsWith("\r\n\r\n");
      Talk.say(socket, "\u0000anything\u00ff");
      assertThat(Talk.hear(socket, 10)).isEqualTo("\u0000anything\u00ff");
    }
  }

  @Test
  void after_an_upgrade_that_was_not_agreed_to_requests_are_looked_at() throws Exception {
    String upgrade =
        "GET /no HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
    String smuggled = "GET /evil HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    assertThat(Talk.answer(connect(), upgrade + smuggled)).contains("/noHTTP/1.1 421 ");
    assertThat(server.got()).doesNotContain("evil");
  }

  @Test
  void a_late_request_is_looked_at_all_the_same() throws Exception {
    try (Socket socket = connect()) {
      Thread.sleep(300);
      Talk.say(socket, "GET /1 HTTP/1.1\r\nHost: a.test\r\n\r\n");
      assertThat(Talk.hear(socket, 40)).endsWith("\r\n\r\n/1");
    }
    try (Socket socket = connect()) {
      Talk.say(socket, "G");
      Thread.sleep(300);
      assertThat(Talk.answer(socket, "ET /1 HTTP/1.1\r\nHost: evil.test\r\n\r\n"))
          .startsWith("HTTP/1.1 421 ");
    }
    assertThat(server.got()).doesNotContain("evil");
  }

  @Test
  void rules_for_requests_hold_without_tls() throws Exception {
    NetworkRule reads = NetworkRule.of("a.test").withRequests(Set.of("GET"), List.of("/v1/*"));
    inside.network.change(NetworkPolicy.NOTHING.alsoAllowing(reads));
    assertThat(
            Talk.answer(
                connect(), "GET /v1/x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"))
        .endsWith("/v1/x");
    assertThat(Talk.answer(connect(), "GET /v2/x HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(Talk.answer(connect(), "GET /v1/../v2 HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(Talk.answer(connect(), "PUT /v1/x HTTP/1.1\r\nHost: a.test\r\n\r\n"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(Talk.answer(connect(), new Hello().name("a.test").text())).isEqualTo(Talk.ALERT);
    assertThat(Talk.answer(connect(), "SSH-2.0-x\r\n")).isEqualTo(Talk.RESET);
    assertThat(server.got()).isEqualTo("GET /v1/x HTTP/1.1\nHost: a.test\nConnection: close\n");
  }

  private Socket connect() throws Exception {
    return inside.connect("a.test", server.port());
  }
}
