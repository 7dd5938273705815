package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class RelayTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private static ServerSocket listenOn(String address) throws IOException {
    return new ServerSocket(0, 10, InetAddress.getByName(address));
  }

  /** Answers with all that it got, once the caller has said everything. */
  private static void echoOnce(ServerSocket server) {
    Thread.startVirtualThread(() -> {
      try (Socket socket = server.accept()) {
        byte[] all = socket.getInputStream().readAllBytes();
        socket.getOutputStream().write(all);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
  }

  @Test
  void each_direction_ends_on_its_own() throws Exception {
    try (ServerSocket server = listenOn("127.0.0.1")) {
      echoOnce(server);
      try (TcpStream stream = agent.link().connect(server.getLocalPort())) {
        stream.output().write("half".getBytes(UTF_8));
        stream.output().close();
        assertThat(ExecTest.text(stream.input())).isEqualTo("half");
      }
    }
  }

  @Test
  void megabytes_go_through() throws Exception {
    try (ServerSocket server = listenOn("127.0.0.1")) {
      echoOnce(server);
      try (TcpStream stream = agent.link().connect(server.getLocalPort())) {
        stream.output().write(new byte[5_000_000]);
        stream.output().close();
        assertThat(stream.input().readAllBytes()).hasSize(5_000_000);
      }
    }
  }

  @Test
  void a_server_on_ipv6_only_is_found() throws Exception {
    try (ServerSocket server = listenOn("::1")) {
      echoOnce(server);
      try (TcpStream stream = agent.link().connect(server.getLocalPort())) {
        stream.output().write(65);
        stream.output().close();
        assertThat(stream.input().read()).isEqualTo(65);
      }
    }
  }

  @Test
  void a_port_that_nobody_listens_on_is_refused() throws Exception {
    int port;
    try (ServerSocket server = listenOn("127.0.0.1")) {
      port = server.getLocalPort();
    }
    GuestLink link = agent.link();
    assertThatThrownBy(() -> link.connect(port))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining(String.valueOf(port));
    assertThatThrownBy(() -> link.connect(0)).isInstanceOf(GuestException.class);
    assertThatThrownBy(() -> link.connect(65536)).isInstanceOf(GuestException.class);
  }

  @Test
  void closing_here_closes_the_connection_there() throws Exception {
    try (ServerSocket server = listenOn("127.0.0.1")) {
      TcpStream stream = agent.link().connect(server.getLocalPort());
      try (Socket socket = server.accept()) {
        stream.close();
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void a_server_that_does_not_read_holds_back_only_its_own_connection() throws Exception {
    try (ServerSocket server = listenOn("127.0.0.1")) {
      GuestLink link = agent.link();
      TcpStream stream = link.connect(server.getLocalPort());
      try (Socket socket = server.accept()) {
        Thread writer =
            Thread.startVirtualThread(() -> {
              try {
                stream.output().write(new byte[50_000_000]);
              } catch (IOException e) {
                // closed at the end of the test
              }
            });
        Await.until("the writer waits", () -> writer.getState() == Thread.State.WAITING);
        assertThat(link.processes()).isEmpty();
        assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
        assertThat(socket.isConnected()).isTrue();
      } finally {
        stream.close();
      }
    }
  }
}
