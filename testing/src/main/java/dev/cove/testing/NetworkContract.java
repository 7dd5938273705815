package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.EngineException;
import dev.cove.engine.network.InsideSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where the network of a sandbox leads: to the sockets that Cove holds in it, and nowhere else. */
abstract class NetworkContract extends EngineContract {
  private static final String CONNECT =
      """
      python3 - "$@" <<'END'
      import socket, sys, time
      family = socket.AF_INET6 if ':' in '%1$s' else socket.AF_INET
      start = time.time()
      try:
          with socket.create_connection(('%1$s', %2$d), 10) as peer:
              print(peer.recv(100).decode())
      except OSError as e:
          print(type(e).__name__, 'at once' if time.time() - start < 1 else 'late')
      END
      """;

  @SuppressWarnings("NullAway.Init")
  private Box box;

  @BeforeEach
  void start() throws IOException {
    box = box();
  }

  @AfterEach
  void stop() {
    box.close();
  }

  private String connect(String address, int port) {
    return box.user(CONNECT.formatted(address, port));
  }

  /** Tells everybody who connects where he wanted to go. */
  private static void answer(InsideSockets sockets, String greeting) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            while (true) {
              try (SocketChannel peer = sockets.connections().accept()) {
                var asked = (InetSocketAddress) peer.getLocalAddress();
                String text =
                    greeting + asked.getAddress().getHostAddress() + " " + asked.getPort();
                peer.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
              }
            }
          } catch (IOException e) {
            return; // closed: the test is over
          }
        });
  }

  @Test
  void a_connection_to_any_address_and_port_arrives_with_both() throws Exception {
    try (InsideSockets sockets = box.cage().network().open()) {
      answer(sockets, "");
      assertThat(connect("192.0.2.17", 443)).isEqualTo("192.0.2.17 443");
      assertThat(connect("10.0.0.1", 1)).isEqualTo("10.0.0.1 1");
      assertThat(connect("169.254.169.254", 80)).isEqualTo("169.254.169.254 80");
      assertThat(connect("198.18.0.1", 3128)).isEqualTo("198.18.0.1 3128");
      assertThat(connect("198.18.0.1", 53)).isEqualTo("198.18.0.1 53");
      assertThat(connect("::ffff:192.0.2.17", 65_535)).isEqualTo("192.0.2.17 65535");
      assertThat(connect("2001:db8::5", 22)).isEqualTo("2001:db8:0:0:0:0:0:5 22");
      assertThat(connect("fd63:6f76:65::1", 22)).isEqualTo("fd63:6f76:65:0:0:0:0:1 22");
    }
  }

  @Test
  void loopback_addresses_are_the_sandbox_s_own_affair() throws Exception {
    try (InsideSockets sockets = box.cage().network().open()) {
      answer(sockets, "");
      for (String address : List.of("127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::")) {
        assertThat(connect(address, 3128)).isEqualTo("ConnectionRefusedError at once");
      }
      assertThat(
              box.user(
                  """
                  python3 -c '
                  import socket
                  own = socket.create_server(("0.0.0.0", 8080))
                  peer = socket.create_connection(("127.0.0.1", 8080))
                  own.accept()[0].send(b"from inside")
                  print(peer.recv(100).decode())
                  other = socket.create_connection(("192.0.2.1", 8080))
                  print(other.recv(100).decode())
                  '
                  """
                      .replace("\n                  ", "\n")))
          .isEqualTo("from inside\n192.0.2.1 8080");
    }
  }

  @Test
  void everything_is_refused_at_once_while_nobody_holds_the_sockets() throws Exception {
    assertThat(connect("192.0.2.17", 443)).isEqualTo("ConnectionRefusedError at once");
    try (InsideSockets sockets = box.cage().network().open()) {
      answer(sockets, "");
      assertThat(connect("192.0.2.17", 443)).isEqualTo("192.0.2.17 443");
    }
    assertThat(connect("192.0.2.17", 443)).isEqualTo("ConnectionRefusedError at once");
    try (InsideSockets sockets = box.cage().network().open()) {
      answer(sockets, "again ");
      assertThat(connect("2001:db8::5", 443)).startsWith("again ");
    }
  }

  @Test
  void datagrams_reach_the_one_socket_for_names_and_no_other() throws Exception {
    try (InsideSockets sockets = box.cage().network().open()) {
      BlockingQueue<String> heard = new LinkedBlockingQueue<>();
      Thread.ofVirtual()
          .start(() -> {
            try {
              ByteBuffer packet = ByteBuffer.allocate(100);
              while (true) {
                SocketAddress from = sockets.names().receive(packet.clear());
                heard.add(StandardCharsets.UTF_8.decode(packet.flip()).toString());
                sockets.names().send(packet.rewind(), from);
              }
            } catch (IOException e) {
              return; // closed: the test is over
            }
          });
      String ask =
          """
          python3 -c '
          import socket
          peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          peer.settimeout(10)
          peer.connect(("%s", %d))
          try:
            peer.send(b"question")
            print(peer.recv(100).decode())
          except OSError as e: print(type(e).__name__)
          '
          """;
      assertThat(box.user(ask.formatted("198.18.0.1", 53))).isEqualTo("question");
      assertThat(heard.poll(1, TimeUnit.SECONDS)).isEqualTo("question");
      assertThat(box.user(ask.formatted("192.0.2.53", 53))).isEqualTo("ConnectionRefusedError");
      assertThat(box.user(ask.formatted("192.0.2.53", 443))).isEqualTo("ConnectionRefusedError");
      assertThat(heard).isEmpty();
    }
  }

  @Test
  void neighbours_share_nothing() throws Exception {
    try (Box neighbour = box();
        InsideSockets here = box.cage().network().open();
        InsideSockets there = neighbour.cage().network().open()) {
      answer(here, "here ");
      answer(there, "there ");
      assertThat(connect("192.0.2.17", 443)).startsWith("here ");
      assertThat(neighbour.user(CONNECT.formatted("192.0.2.17", 443))).startsWith("there ");
    }
  }

  @Test
  void root_inside_cannot_change_the_network() throws Exception {
    String change =
        """
        python3 -c '
        import fcntl, socket, struct
        peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        down = struct.pack("16sh", b"lo", 0)
        try: fcntl.ioctl(peer, 0x8914, down); print("changed")
        except OSError as e: print(type(e).__name__)
        '
        """;
    assertThat(box.root(change)).isEqualTo("PermissionError");
    assertThat(box.root("cat /etc/resolv.conf")).startsWith("nameserver 198.18.0.1");
  }

  @Test
  void the_network_of_a_sandbox_that_ended_cannot_be_entered() throws Exception {
    var network = box.cage().network();
    box.cage().destroy();
    assertThatThrownBy(network::open).isInstanceOf(EngineException.class);
  }
}
