package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cove.egress.intercept.HttpInterception;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** What a sandbox may have less of than others. */
class SandboxLimitsTest {
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws IOException {
    inside =
        new Inside(
            folder,
            Inside.allowing("a.test"),
            NetworkPolicy.EVERYTHING,
            Limits.usual().connections(30).limits(),
            HttpInterception.NONE);
    inside.world.put("a.test", "127.77.0.1");
    server = new WorldServer("127.77.0.1", WorldServer.ECHO);
  }

  @AfterEach
  void close() throws IOException {
    inside.close();
    server.close();
  }

  private Socket talking() throws IOException {
    Socket socket = inside.connect("a.test", server.port());
    Talk.say(socket, "ping\n");
    assertThat(Talk.hear(socket, 5)).isEqualTo("ping\n");
    return socket;
  }

  private String refusal() throws IOException {
    return Talk.answerInWords(() -> inside.connect("a.test", server.port()), REQUEST);
  }

  private List<String> rules() {
    return inside.network.log().stream().map(line -> line.verdict().rule()).toList();
  }

  @Test
  void a_sandbox_has_as_many_connections_as_it_was_given_and_a_change_holds_at_once()
      throws Exception {
    inside.network.limit(new NetworkLimits(2, 0, 0, 0));
    var open = new ArrayList<Socket>();
    try {
      open.add(talking());
      open.add(talking());
      assertThat(refusal())
          .startsWith("HTTP/1.1 429")
          .contains("X-Cove-Denied: limit connections")
          .contains("it has reached its limit connections");
      assertThat(rules()).contains("limit connections");
      inside.network.limit(new NetworkLimits(3, 0, 0, 0));
      open.add(talking());
      inside.network.limit(new NetworkLimits(1, 0, 0, 0));
      Talk.say(open.getFirst(), "ping\n");
      assertThat(Talk.hear(open.getFirst(), 5)).as("those that are open stay").isEqualTo("ping\n");
      assertThat(refusal()).startsWith("HTTP/1.1 429");
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
    talking().close();
  }

  @Test
  void no_sandbox_has_more_than_the_server_lets_anybody_have() throws Exception {
    inside.network.limit(new NetworkLimits(1_000_000, 0, 0, 0));
    var open = new ArrayList<Socket>();
    try {
      for (int i = 0; i < 30; i++) {
        open.add(talking());
      }
      assertThat(refusal()).startsWith("HTTP/1.1 429");
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void new_connections_over_the_limit_are_told_so() throws Exception {
    inside.network.limit(new NetworkLimits(0, 1, 0, 0));
    String last = "";
    for (int i = 0; i < 5 && !last.startsWith("HTTP/1.1 429"); i++) {
      last = refusal();
    }
    assertThat(last).startsWith("HTTP/1.1 429");
    assertThat(rules()).contains("limit new connections");
  }

  @Test
  void name_queries_over_the_limit_are_refused_and_logged() throws Exception {
    inside.network.limit(new NetworkLimits(0, 0, 1, 0));
    int code = Rcode.NOERROR;
    for (int i = 0; i < 100 && code != Rcode.REFUSED; i++) {
      code = inside.ask("a.test", Type.A).getRcode();
    }
    assertThat(code).isEqualTo(Rcode.REFUSED);
    assertThat(inside.network.log().getLast().destination()).hasToString("198.18.0.1:53");
    assertThat(rules().getLast()).isEqualTo("limit name queries");
  }

  @Test
  void bytes_over_the_limit_cut_a_connection_and_say_so() throws Exception {
    inside.network.limit(new NetworkLimits(0, 0, 0, 100));
    try (Socket socket = talking()) {
      Talk.say(socket, "x".repeat(200));
      assertThat(Talk.hearAll(socket)).endsWith(Talk.RESET);
    }
    assertThat(rules()).contains("limit bytes per hour");
    assertThat(refusal()).startsWith("HTTP/1.1 429").contains("limit bytes per hour");
    inside.network.limit(new NetworkLimits(0, 0, 0, 1 << 20));
    talking().close();
  }
}
