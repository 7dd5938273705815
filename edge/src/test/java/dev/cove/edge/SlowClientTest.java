package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.http.HttpLimits;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SlowClientTest {
  @RegisterExtension
  static final RunningEdge EDGE =
      new RunningEdge(
          new HttpLimits(
              20,
              2,
              Duration.ofSeconds(1),
              Duration.ofSeconds(1),
              Duration.ofSeconds(1),
              1_024,
              Duration.ofMillis(100),
              Duration.ofMillis(200),
              Duration.ofSeconds(2),
              Duration.ofSeconds(1)));

  private static String box = "";

  @BeforeAll
  static void createBox() {
    box = "/api/v1/sandboxes/" + EDGE.create();
  }

  private static boolean trickle(RawConnection connection, int most) throws Exception {
    for (int i = 0; i < most; i++) {
      try {
        connection.send("x");
      } catch (SocketException e) {
        return true;
      }
      Thread.sleep(Duration.ofMillis(100));
    }
    return false;
  }

  @Test
  void a_head_that_trickles_in_is_cut_off() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      assertThat(trickle(connection, 100)).isTrue();
    }
  }

  @Test
  void a_second_head_that_trickles_in_is_cut_off_too() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(connection.readReply().status()).isEqualTo(200);
      connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      assertThat(trickle(connection, 100)).isTrue();
    }
  }

  @Test
  void a_connection_that_says_nothing_is_closed() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void a_body_that_stops_is_408() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection.head(EDGE, "POST " + box + "/exec").send("Content-Length: 100\r\n\r\n{\"comm");
      var reply = connection.readReply();
      assertThat(reply.status()).isEqualTo(408);
      assertThat(reply.code()).isEqualTo("request_timeout");
    }
  }

  @Test
  void a_body_that_trickles_in_is_408() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection
          .head(EDGE, "PUT " + box + "/files?path=/tmp/cove-slow")
          .send("Content-Length: 100000\r\n\r\n");
      trickle(connection, 25);
      assertThat(connection.readReply().status()).isEqualTo(408);
    }
    assertThat(EDGE.get(box + "/files/stat?path=/tmp/cove-slow").status()).isEqualTo(404);
  }

  @Test
  void half_a_frame_is_waited_for_and_then_cut_off() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection.head(EDGE, "GET " + box + "/attach").send(ProcessApiTest.upgrade(""));
      assertThat(connection.readHead().status()).isEqualTo(101);
      // Text, masked, 100 bytes to follow; ten do.
      connection.send((byte) 0x81, (byte) (0x80 | 100), (byte) 1, (byte) 2, (byte) 3, (byte) 4);
      connection.send(new byte[10]);
      awaitEnd(connection);
    }
    try (var connection = new RawConnection(EDGE.port())) {
      connection.head(EDGE, "GET " + box + "/attach").send(ProcessApiTest.upgrade(""));
      assertThat(connection.readHead().status()).isEqualTo(101);
      // Binary, masked, an exabyte to follow.
      connection.send(
          (byte) 0x82,
          (byte) 0xff,
          (byte) 0x10,
          (byte) 0,
          (byte) 0,
          (byte) 0,
          (byte) 0,
          (byte) 0,
          (byte) 0,
          (byte) 0);
      awaitEnd(connection);
    }
  }

  @Test
  void a_handshake_that_is_not_whole_is_refused() throws Exception {
    try (var connection = new RawConnection(EDGE.port())) {
      connection
          .head(EDGE, "GET " + box + "/attach")
          .send("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n");
      assertThat(connection.readReply().status()).isEqualTo(400);
    }
  }

  /** Reads pings and whatever else comes until the other end closes. */
  private static void awaitEnd(RawConnection connection) throws Exception {
    int bytes = 0;
    while (!connection.isClosed()) {
      assertThat(++bytes).isLessThan(10_000);
    }
  }

  @Test
  void a_frame_that_is_not_masked_or_not_known_closes_the_socket() throws Exception {
    byte[][] frames = {
      {(byte) 0x81, 1, 'x'},
      {(byte) 0x83, (byte) 0x80, 0, 0, 0, 0},
      {(byte) 0xf1, (byte) 0x80, 0, 0, 0, 0}
    };
    for (byte[] frame : frames) {
      try (var connection = new RawConnection(EDGE.port())) {
        connection.head(EDGE, "GET " + box + "/attach").send(ProcessApiTest.upgrade(""));
        assertThat(connection.readHead().status()).isEqualTo(101);
        connection.send(frame);
        awaitEnd(connection);
      }
    }
  }

  @Test
  void sockets_over_the_limit_are_503_with_a_time_to_come_back() throws Exception {
    try (var one = TestSocket.open(EDGE, box + "/attach");
        var two = TestSocket.open(EDGE, box + "/attach")) {
      one.text("{\"type\":\"start\",\"command\":[\"sleep\",\"60\"]}").nextText();
      two.text("{\"type\":\"start\",\"command\":[\"sleep\",\"60\"]}").nextText();
      try (var connection = new RawConnection(EDGE.port())) {
        connection.head(EDGE, "GET " + box + "/attach").send(ProcessApiTest.upgrade(""));
        var reply = connection.readReply();
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.headers()).containsKey("Retry-After");
      }
    }
  }

  @Test
  void connections_over_the_limit_wait_and_are_served_when_others_leave() throws Exception {
    var connections = new ArrayList<RawConnection>();
    try {
      for (int i = 0; i < 25; i++) {
        connections.add(new RawConnection(EDGE.port()));
      }
      RunningEdge.await("the server answers again", () -> EDGE.get("/healthz").status() == 200);
    } finally {
      for (RawConnection connection : connections) {
        connection.close();
      }
    }
  }
}
