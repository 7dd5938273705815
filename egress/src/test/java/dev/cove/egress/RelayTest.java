package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cove.model.network.NetworkPolicy;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes on their way, and what ends it. */
class RelayTest {
  @TempDir Path folder;
  private Inside inside;

  @BeforeEach
  void open() throws Exception {
    inside = inside(Limits.usual());
  }

  private Inside inside(Limits limits) throws Exception {
    Inside made =
        new Inside(
            folder,
            Inside.allowing("a.test", "b.test"),
            NetworkPolicy.EVERYTHING,
            limits.limits(),
            Limits.NO_HTTP);
    made.world.put("a.test", "127.77.0.1");
    made.world.put("b.test", "127.77.0.1");
    return made;
  }

  @AfterEach
  void close() {
    inside.close();
  }

  @Test
  void a_server_that_speaks_first_is_heard() throws Exception {
    try (WorldServer server =
            new WorldServer(
                "127.77.0.1",
                (socket, seen) -> {
                  Talk.say(socket, "220 hello\r\n");
                  WorldServer.ECHO.serve(socket, seen);
                });
        Socket socket = inside.connect("a.test", server.port())) {
      assertThat(Talk.hear(socket, 11)).isEqualTo("220 hello\r\n");
      Talk.say(socket, "EHLO me\r\n");
      assertThat(Talk.hear(socket, 9)).isEqualTo("EHLO me\r\n");
      Talk.say(socket, "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n");
      assertThat(Talk.hear(socket, 3)).isEqualTo("GET");
    }
  }

  @Test
  void after_a_server_spoke_first_a_client_cannot_begin_with_a_request_to_another_host()
      throws Exception {
    try (WorldServer server =
            new WorldServer(
                "127.77.0.1",
                (socket, seen) -> {
                  Talk.say(socket, "220 hello\r\n");
                  WorldServer.ECHO.serve(socket, seen);
                });
        Socket socket = inside.connect("a.test", server.port())) {
      Talk.hear(socket, 11);
      assertThat(Talk.answer(socket, "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"))
          .isEqualTo(Talk.RESET);
      assertThat(server.got()).isEmpty();
    }
  }

  @Test
  void the_end_of_one_direction_leaves_the_other() throws Exception {
    try (WorldServer server =
            new WorldServer(
                "127.77.0.1",
                (socket, seen) -> {
                  seen.writeBytes(socket.getInputStream().readAllBytes());
                  Talk.say(socket, "got " + seen.size());
                });
        Socket socket = inside.connect("a.test", server.port())) {
      Talk.say(socket, "\u0001question");
      socket.shutdownOutput();
      assertThat(Talk.hearAll(socket)).isEqualTo("got 9");
    }
    await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
  }

  @Test
  void many_bytes_arrive_as_they_were_sent() throws Exception {
    int size = 64 << 20;
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Socket socket = inside.connect("a.test", server.port())) {
      Thread.ofVirtual().start(() -> send(socket, size));
      byte[] buffer = new byte[1 << 16];
      InputStream in = socket.getInputStream();
      int at = 0;
      for (int n; (n = in.read(buffer)) >= 0; ) {
        for (int i = 0; i < n; i++, at++) {
          if (buffer[i] != (byte) ((at * 31) >> 3)) {
            throw new AssertionError("Byte " + at + " is another");
          }
        }
      }
      assertThat(at).isEqualTo(size);
      assertThat(inside.network.counters().bytesSent()).isEqualTo(size);
      assertThat(inside.network.counters().bytesReceived()).isEqualTo(size);
    }
  }

  private static void send(Socket socket, int size) {
    try {
      OutputStream out = socket.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int at = 0; at < size; ) {
        for (int i = 0; i < buffer.length; i++, at++) {
          buffer[i] = (byte) ((at * 31) >> 3);
        }
        out.write(buffer);
      }
      socket.shutdownOutput();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_change_of_policy_cuts_what_it_does_not_allow_at_once_and_nothing_else() throws Exception {
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Socket a = inside.connect("a.test", server.port());
        Socket b = inside.connect("b.test", server.port())) {
      for (Socket socket : List.of(a, b)) {
        Talk.say(socket, "ping\n");
        Talk.hear(socket, 5);
      }
      Instant start = Instant.now();
      inside.network.change(Inside.allowing("b.test"));
      assertThat(Talk.hearAll(a)).isEqualTo(Talk.RESET);
      assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(2));
      Talk.say(b, "pong\n");
      assertThat(Talk.hear(b, 5)).isEqualTo("pong\n");
      start = Instant.now();
      inside.network.change(
          Inside.policy(
              NetworkPolicy.Fallback.ALLOW, List.of(), List.of("127.77.0.0/24:" + server.port())));
      assertThat(Talk.hearAll(b)).isEqualTo(Talk.RESET);
      assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(2));
    }
  }

  @Test
  void connections_beyond_the_threads_of_the_system_are_carried_like_the_first() throws Exception {
    var open = new ArrayList<Socket>();
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      for (int i = 0; i < 100; i++) {
        open.add(inside.connect("a.test", server.port()));
        Talk.say(open.get(i), "ping %02d\n".formatted(i));
      }
      for (int i = 0; i < open.size(); i++) {
        assertThat(Talk.hear(open.get(i), 8)).isEqualTo("ping %02d\n".formatted(i));
      }
      assertThat(relayThreads()).isBetween(128L, 160L); // some may still be ending
      inside.network.change(Inside.allowing("b.test"));
      for (Socket socket : open) {
        assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
      }
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
  }

  private static long relayThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("relay-"))
        .count();
  }

  @Test
  void closing_the_network_cuts_everything() throws Exception {
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Socket socket = inside.connect("a.test", server.port())) {
      Talk.say(socket, "ping\n");
      Talk.hear(socket, 5);
      inside.network.close();
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
      await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
    }
  }

  @Test
  void a_connection_without_a_byte_is_cut_after_a_while() throws Exception {
    inside.close();
    inside = inside(Limits.usual().idle(Duration.ofMillis(400)));
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Socket socket = inside.connect("a.test", server.port())) {
      Talk.say(socket, "ping\n");
      Talk.hear(socket, 5);
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
    }
  }

  @Test
  void there_are_as_many_connections_as_the_limit_says() throws Exception {
    inside.close();
    inside = inside(Limits.usual().connections(20));
    var open = new ArrayList<Socket>();
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      for (int i = 0; i < 20; i++) {
        Socket socket = inside.connect("a.test", server.port());
        open.add(socket);
        Talk.say(socket, "ping\n");
        assertThat(Talk.hear(socket, 5)).isEqualTo("ping\n");
      }
      assertThat(Talk.answer(inside.connect("a.test", server.port()), "ping\n"))
          .isEqualTo(Talk.RESET);
      assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("limit connections");
      open.removeFirst().close();
      await().untilAsserted(() -> assertThat(inside.network.counters().open()).isEqualTo(19));
      try (Socket again = inside.connect("a.test", server.port())) {
        Talk.say(again, "ping\n");
        assertThat(Talk.hear(again, 5)).isEqualTo("ping\n");
      }
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void there_are_as_many_new_connections_as_the_limit_says() throws Exception {
    inside.close();
    inside = inside(Limits.usual().newConnections(10));
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      int reset = 0;
      for (int i = 0; i < 60; i++) {
        try (Socket socket = inside.connect("a.test", server.port())) {
          socket.setSoTimeout(2_000);
          Talk.say(socket, "p\n");
          reset += Talk.hear(socket, 2).isEmpty() ? 1 : 0;
        } catch (SocketException e) {
          reset++;
        }
      }
      assertThat(reset).isBetween(20, 40);
      assertThat(inside.network.log().getLast().verdict().rule())
          .isEqualTo("limit new connections");
    }
  }

  @Test
  void when_all_bytes_are_spent_nothing_goes_on() throws Exception {
    inside.close();
    inside = inside(Limits.usual().bytes(1 << 20));
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Socket socket = inside.connect("a.test", server.port())) {
      Thread.ofVirtual().start(() -> sendQuietly(socket));
      assertThat(Talk.hearAll(socket).length()).isLessThan(1 << 20);
      assertThat(Talk.answer(inside.connect("a.test", server.port()), "ping\n"))
          .isEqualTo(Talk.RESET);
      assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("limit bytes per hour");
    }
  }

  private static void sendQuietly(Socket socket) {
    try {
      socket.getOutputStream().write(new byte[4 << 20]);
    } catch (IOException e) {
      // Cut, as it should be.
    }
  }

  @Test
  void two_thousand_connections_are_held_with_little_memory() throws Exception {
    inside.close();
    inside = inside(Limits.usual().newConnections(5_000));
    int many = 2_000;
    var open = new ArrayList<Socket>();
    long before = memoryOutsideTheHeap();
    try (WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      var address = new InetSocketAddress(inside.resolve("a.test"), server.port());
      for (int i = 0; i < many; i++) {
        Socket socket = inside.connect(address);
        open.add(socket);
        Talk.say(socket, "ping\n");
      }
      for (Socket socket : open) {
        assertThat(Talk.hear(socket, 5)).isEqualTo("ping\n");
      }
      assertThat(inside.network.counters().open()).isEqualTo(many);
      assertThat((memoryOutsideTheHeap() - before) / many).isLessThan(24 << 10);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
  }

  private static long memoryOutsideTheHeap() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
