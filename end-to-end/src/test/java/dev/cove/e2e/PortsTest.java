package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.Command;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.PortConnection;
import dev.cove.sdk.Sandbox;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PortsTest {
  private static final String ECHO =
      """
      import socket, threading
      listener = socket.create_server(("127.0.0.1", 7), backlog=64)
      def serve(peer):
        total = 0
        while data := peer.recv(65536):
          total += len(data)
          peer.sendall(data)
        peer.sendall(f"end after {total}".encode())
        peer.close()
      while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer,), daemon=True).start()
      """;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void a_web_server_on_a_low_port_of_the_sandbox_is_reached_from_outside() throws IOException {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/index.html", "inside");
      box.spawn(Command.of("python3", "-m", "http.server", "80", "--bind", "127.0.0.1"));
      InnerPython.awaitListening(box, 80);
      try (PortConnection connection = box.connect(80)) {
        connection.output().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        String reply = new String(connection.input().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(reply).startsWith("HTTP/1.0 200").endsWith("inside");
      }
    }
  }

  @Test
  void the_end_of_one_direction_leaves_the_other_open() throws Exception {
    try (Sandbox box = server.create()) {
      box.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(box, 7);
      List<String> answers =
          AtOnce.times(
              10,
              i -> {
                try (PortConnection connection = box.connect(7)) {
                  connection.output().write(("call " + i + " ").getBytes(StandardCharsets.UTF_8));
                  connection.output().close();
                  return new String(connection.input().readAllBytes(), StandardCharsets.UTF_8);
                }
              });
      for (int i = 0; i < 10; i++) {
        assertThat(answers.get(i)).isEqualTo("call " + i + " end after 7");
      }
    }
  }

  @Test
  void a_server_that_listens_on_ipv6_or_on_all_addresses_is_reached() throws Exception {
    String server =
        """
        import socket, sys
        family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        listener = socket.create_server((sys.argv[1], int(sys.argv[2])), family=family)
        while True:
          peer, _ = listener.accept()
          peer.sendall(sys.argv[1].encode())
          peer.close()
        """;
    List<String> addresses = List.of("::1", "0.0.0.0", "::", "127.0.0.1");
    try (Sandbox box = PortsTest.server.create()) {
      for (int i = 0; i < addresses.size(); i++) {
        box.spawn(Command.of("python3", "-c", server, addresses.get(i), String.valueOf(7000 + i)));
      }
      for (int i = 0; i < addresses.size(); i++) {
        int port = 7000 + i;
        String said =
            Awaitility.await()
                .ignoreExceptionsInstanceOf(CoveException.class)
                .until(() -> hear(box, port), text -> !text.isEmpty());
        assertThat(said).isEqualTo(addresses.get(i));
      }
    }
  }

  private static String hear(Sandbox box, int port) throws IOException {
    try (PortConnection connection = box.connect(port)) {
      return new String(connection.input().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void what_is_sent_to_a_port_wakes_a_paused_sandbox() throws Exception {
    try (Sandbox box = server.create()) {
      box.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(box, 7);
      try (PortConnection connection = box.connect(7)) {
        box.pause();
        connection.output().write("open".getBytes(StandardCharsets.UTF_8));
        connection.output().flush();
        assertThat(connection.input().readNBytes(4)).asString().isEqualTo("open");
        assertThat(box.fetchInfo().state()).isEqualTo("running");
        box.pause();
        try (PortConnection other = box.connect(7)) {
          other.output().write("new".getBytes(StandardCharsets.UTF_8));
          other.output().close();
          assertThat(other.input().readAllBytes()).asString().isEqualTo("newend after 3");
        }
      }
    }
  }

  @Test
  void connections_to_ports_end_with_the_processes_of_the_sandbox() throws Exception {
    try (Sandbox box = server.create()) {
      box.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(box, 7);
      try (PortConnection connection = box.connect(7)) {
        connection.output().write("x".getBytes(StandardCharsets.UTF_8));
        connection.output().flush();
        assertThat(connection.input().read()).isEqualTo('x');
        box.stop();
        assertThatThrownBy(() -> requireMore(connection.input())).isInstanceOf(IOException.class);
      }
    }
  }

  private static void requireMore(InputStream in) throws IOException {
    if (in.read() < 0) {
      throw new EOFException();
    }
  }

  @Test
  void coves_own_listener_inside_is_nobodys_port() {
    try (Sandbox box = server.create()) {
      assertThatThrownBy(() -> box.connect(1)).hasMessageContaining("1");
    }
  }

  @Test
  void many_bytes_go_through_a_port_unchanged() throws Exception {
    long size = 16 << 20;
    try (Sandbox box = server.create()) {
      box.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(box, 7);
      try (PortConnection connection = box.connect(7)) {
        Thread writer =
            Thread.startVirtualThread(() -> {
              try (var out = connection.output()) {
                SampleBytes.of(size).transferTo(out);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
        byte[] back = connection.input().readNBytes((int) size);
        writer.join();
        assertThat(SampleBytes.checksum(new ByteArrayInputStream(back)))
            .isEqualTo(SampleBytes.checksum(SampleBytes.of(size)));
      }
    }
  }

  @Test
  void a_port_that_nobody_listens_on_is_refused_with_a_reason() {
    try (Sandbox box = server.create()) {
      assertThatThrownBy(
              () -> {
                try (PortConnection connection = box.connect(9)) {
                  connection.input().read();
                }
              })
          .isInstanceOfAny(CoveException.class, IOException.class)
          .hasMessageContaining("9");
    }
  }

  @Test
  void two_sandboxes_may_use_the_same_port_and_do_not_see_each_other() {
    try (Sandbox one = server.create();
        Sandbox other = server.create()) {
      one.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(one, 7);
      String probe = "import socket; socket.create_connection(('127.0.0.1', 7), 2)";
      assertThat(one.exec("python3", "-c", probe).exitCode()).isZero();
      assertThat(other.exec("python3", "-c", probe).stderr()).contains("ConnectionRefusedError");
      other.spawn(Command.of("python3", "-c", ECHO));
      InnerPython.awaitListening(other, 7);
    }
  }

  @Test
  void a_sandbox_has_a_loopback_and_no_other_network() {
    try (Sandbox box = server.create()) {
      String interfaces = "import socket; print([name for _, name in socket.if_nameindex()])";
      assertThat(box.exec("python3", "-c", interfaces).stdout()).isEqualTo("['lo']\n");
    }
  }
}
