package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.egress.intercept.HttpInterception;
import dev.cove.egress.intercept.InterceptedConnection;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict.Outcome;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import dev.cove.testing.world.WorldServer;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a part that looks at requests is given. */
class InterceptionTest {
  /** Tells the client what it was given, and what it may dial. */
  private static final class Telling implements HttpInterception {
    @Override
    public boolean handles(SandboxId sandbox, Destination destination, boolean tls) {
      return true;
    }

    @Override
    public Optional<byte[]> caCertificate(SandboxId sandbox) {
      return Optional.empty();
    }

    @Override
    public void forget(SandboxId sandbox) {}

    @Override
    public void take(InterceptedConnection connection) throws Exception {
      String ahead = new String(connection.ahead(), StandardCharsets.ISO_8859_1);
      Outcome read = connection.decide(new Request("GET", "/v1/x")).outcome();
      Outcome write = connection.decide(new Request("PUT", "/v1/x")).outcome();
      String dialled;
      try (SocketChannel upstream = connection.dial()) {
        upstream.write(ByteBuffer.wrap(new byte[] {'x'}));
        connection.sent(1);
        dialled = upstream.socket().getInetAddress().getHostAddress();
      } catch (DialFailedException e) {
        dialled = e.verdict().rule();
      }
      String told =
          "%s tls=%s ahead=%d %s %s %s"
              .formatted(
                  connection.destination(), connection.tls(), ahead.length(), read, write, dialled);
      connection.client().write(ByteBuffer.wrap(told.getBytes(StandardCharsets.ISO_8859_1)));
      if (ahead.contains("/wait")) {
        connection.client().read(ByteBuffer.allocate(1));
      }
    }
  }

  private static final NetworkRule READS =
      NetworkRule.of("a.test").withRequests(Set.of("GET"), List.of("/v1/*"));

  private static SecretBinding binding(String host) {
    return new SecretBinding(
        new SecretName("TOKEN"),
        List.of(NetworkRule.of(host)),
        new SecretPlace.Bearer(),
        Set.of(),
        List.of(),
        false,
        false,
        "");
  }

  private final Telling telling = new Telling();
  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws Exception {
    server = new WorldServer("127.77.0.1", WorldServer.ECHO);
    inside =
        new Inside(
            folder,
            NetworkPolicy.NOTHING.alsoAllowing(READS).alsoAllowing(NetworkRule.of("b.test")),
            NetworkPolicy.EVERYTHING,
            GatewayLimits.USUAL,
            telling);
    inside.world.put("a.test", "127.77.0.1");
    inside.world.put("b.test", "127.77.0.1");
  }

  @AfterEach
  void close() throws Exception {
    inside.close();
    server.close();
  }

  @Test
  void where_requests_decide_it_gets_what_was_said_and_a_checked_way_out() throws Exception {
    String hello = new Hello().name("a.test").text();
    assertThat(Talk.answer(inside.connect("a.test", server.port()), hello))
        .isEqualTo(
            "a.test:%d tls=true ahead=%d ALLOWED DENIED 127.77.0.1"
                .formatted(server.port(), hello.length()));
    String request = "GET /v1/x HTTP/1.1\r\nHost: a.test\r\n\r\n";
    assertThat(Talk.answer(inside.connect("a.test", server.port()), request))
        .startsWith("a.test:%d tls=false ahead=%d".formatted(server.port(), request.length()));
  }

  @Test
  void it_never_sees_tls_that_names_another_host_nor_what_is_not_http() throws Exception {
    assertThat(
            Talk.answer(inside.connect("a.test", server.port()), new Hello().name("b.test").text()))
        .isEqualTo(Talk.ALERT);
    assertThat(Talk.answer(inside.connect("a.test", server.port()), "SSH-2.0-x\r\n"))
        .isEqualTo(Talk.RESET);
  }

  @Test
  void it_gets_what_rules_would_let_pass_where_a_secret_is_bound() throws Exception {
    String hello = new Hello().name("b.test").text();
    try (Socket socket = inside.connect("b.test", server.port())) {
      Talk.say(socket, hello);
      assertThat(Talk.hear(socket, hello.length())).isEqualTo(hello);
      inside.network.bind(List.of(binding("b.test")));
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
    }
    assertThat(Talk.answer(inside.connect("b.test", server.port()), hello)).contains("tls=true");
    try (Socket socket = inside.proxy()) {
      Talk.say(socket, "CONNECT b.test:%d HTTP/1.1\r\n\r\n".formatted(server.port()));
      assertThat(Talk.hear(socket, 39)).startsWith("HTTP/1.1 200");
      assertThat(Talk.answer(socket, hello))
          .contains("b.test:%d tls=true".formatted(server.port()));
    }
  }

  @Test
  void its_way_out_is_checked_and_its_connections_are_cut_like_all() throws Exception {
    inside.world.put("evil.test", "127.0.0.1");
    inside.network.bind(List.of(binding("evil.test")));
    inside.network.change(NetworkPolicy.EVERYTHING);
    String request = "GET /wait HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    try (Socket socket = inside.connect("evil.test", server.port())) {
      Talk.say(socket, request);
      assertThat(Talk.hear(socket, 40)).startsWith("evil.test");
      inside.network.change(NetworkPolicy.NOTHING);
      assertThat(Talk.hearAll(socket)).contains("never loopback").endsWith(Talk.RESET);
    }
    assertThat(server.connections()).isZero();
  }

  @Test
  void an_address_that_was_asked_for_as_such_can_be_looked_into_too() throws Exception {
    NetworkRule reads = NetworkRule.of("127.77.0.1").withRequests(Set.of("GET"), List.of("/v1/*"));
    inside.network.change(NetworkPolicy.NOTHING.alsoAllowing(reads));
    var address = Inside.at("127.77.0.1", server.port());
    assertThat(Talk.answer(inside.connect(address), new Hello().text())).contains("tls=true");
  }
}
