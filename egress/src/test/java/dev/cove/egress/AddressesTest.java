package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.testing.world.WorldServer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which real addresses are dialled. */
class AddressesTest {
  private static final String PING = "ping\n";

  @TempDir Path folder;

  @Test
  void what_a_name_leads_to_is_reached_and_logged() throws Exception {
    try (Inside inside = Inside.with(folder, Inside.allowing("a.test"));
        WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      inside.world.put("a.test", "127.77.0.1");
      try (Socket socket = inside.connect("a.test", server.port())) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      LoggedDecision line = inside.network.log().getLast();
      assertThat(line.destination()).hasToString("a.test:" + server.port());
      assertThat(line.dialled()).isEqualTo("127.77.0.1");
      assertThat(line.verdict().rule()).isEqualTo("allow a.test");
      assertThat(line.bytesSent()).isEqualTo(5);
      assertThat(line.bytesReceived()).isEqualTo(5);
    }
  }

  @Test
  void a_name_whose_address_turns_private_between_look_up_and_dial_is_not_reached()
      throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING);
        WorldServer secret = new WorldServer("127.0.0.1", WorldServer.ECHO)) {
      var turn = new AtomicInteger();
      inside.world.putAnswers(
          "rebind.test",
          () -> new String[] {turn.getAndIncrement() < 2 ? "127.77.0.1" : "127.0.0.1"});
      var address = new InetSocketAddress(inside.resolve("rebind.test"), secret.port());
      Thread.sleep(1_100);

      assertThat(Talk.answer(inside.connect(address), PING)).isEqualTo(Talk.RESET);
      assertThat(turn.get()).isGreaterThan(2);
      assertThat(secret.connections()).isZero();
      assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("never loopback");
    }
  }

  @Test
  void of_mixed_addresses_only_the_permitted_are_dialled() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING);
        WorldServer good = new WorldServer("127.77.0.1", WorldServer.ECHO);
        WorldServer secret = new WorldServer("127.0.0.1", good.port(), WorldServer.ECHO)) {
      inside.world.put(
          "mixed.test", "127.0.0.1", "10.9.9.9", "169.254.169.254", "127.77.0.1", "::1");
      for (int i = 0; i < 5; i++) {
        try (Socket socket = inside.connect("mixed.test", good.port())) {
          Talk.say(socket, PING);
          assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
        }
      }
      assertThat(secret.connections()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1", "10.9.9.9", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"})
  void addresses_that_no_rule_can_allow_are_refused_by_name_and_as_such(String address)
      throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      inside.world.put("evil.test", address);
      assertThat(Talk.answer(inside.connect(Inside.at(address, 80)), PING)).isEqualTo(Talk.RESET);
      if (!address.startsWith("::ffff")) {
        assertThat(Talk.answer(inside.connect("evil.test", 80), PING)).isEqualTo(Talk.RESET);
      }
      assertThat(inside.network.log()).allMatch(line -> line.verdict().denied());
      assertThat(inside.network.log()).allMatch(line -> line.verdict().rule().startsWith("never"));
    }
  }

  @Test
  void coves_own_port_is_never_reached() throws Exception {
    try (WorldServer api = new WorldServer("127.77.0.1", WorldServer.ECHO);
        Inside inside =
            new Inside(
                folder,
                NetworkPolicy.EVERYTHING,
                NetworkPolicy.EVERYTHING,
                GatewayLimits.USUAL,
                Limits.NO_HTTP,
                Set.of(api.port()))) {
      inside.world.put("api.test", "127.77.0.1");
      assertThat(Talk.answer(inside.connect("api.test", api.port()), PING)).isEqualTo(Talk.RESET);
      var literal = Inside.at("127.77.0.1", api.port());
      assertThat(Talk.answer(inside.connect(literal), PING)).isEqualTo(Talk.RESET);
      assertThat(api.connections()).isZero();
    }
  }

  @Test
  void an_address_of_an_allowed_name_is_not_allowed_as_such() throws Exception {
    try (Inside inside = Inside.with(folder, Inside.allowing("a.test"));
        WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      inside.world.put("a.test", "127.77.0.1");
      inside.resolve("a.test");
      var literal = Inside.at("127.77.0.1", server.port());
      assertThat(Talk.answer(inside.connect(literal), PING)).isEqualTo(Talk.RESET);
      inside.network.change(Inside.allowing("127.77.0.0/16"));
      try (Socket socket = inside.connect(literal)) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      assertThat(server.connections()).isOne();
    }
  }

  @Test
  void a_denied_address_is_not_reached_by_any_name_nor_a_denied_name_by_an_alias()
      throws Exception {
    NetworkPolicy policy =
        Inside.policy(Fallback.ALLOW, List.of(), List.of("127.77.0.2", "*.tracker.test"));
    try (Inside inside = Inside.with(folder, policy);
        WorldServer one = new WorldServer("127.77.0.1", WorldServer.ECHO);
        WorldServer two = new WorldServer("127.77.0.2", WorldServer.ECHO)) {
      inside.world.put("a.test", "127.77.0.2");
      inside.world.alias("b.test", "x.tracker.test", "127.77.0.1");
      inside.world.alias("c.test", "fine.test", "127.77.0.1");
      assertThat(Talk.answer(inside.connect("a.test", two.port()), PING)).isEqualTo(Talk.RESET);
      assertThat(Talk.answer(inside.connect("b.test", one.port()), PING)).isEqualTo(Talk.RESET);
      try (Socket socket = inside.connect("c.test", one.port())) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      assertThat(two.connections()).isZero();
      assertThat(one.connections()).isOne();
    }
  }

  @Test
  void what_the_operator_does_not_allow_no_policy_can() throws Exception {
    NetworkPolicy floor = Inside.policy(Fallback.DENY, List.of("*.test"), List.of("evil.test"));
    try (Inside inside =
            new Inside(
                folder, NetworkPolicy.EVERYTHING, floor, GatewayLimits.USUAL, Limits.NO_HTTP);
        WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      inside.world.put("good.test", "127.77.0.1");
      inside.world.put("evil.test", "127.77.0.1");
      inside.world.put("good.example", "127.77.0.1");
      assertThat(Talk.answer(inside.connect("evil.test", server.port()), PING))
          .isEqualTo(Talk.RESET);
      assertThat(Talk.answer(inside.connect("good.example", server.port()), PING))
          .isEqualTo(Talk.RESET);
      assertThat(inside.network.log().getLast().verdict().rule())
          .isEqualTo("operator's default deny");
      try (Socket socket = inside.connect("good.test", server.port())) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      assertThat(inside.world.asked()).containsOnly("good.test");
    }
  }

  @Test
  void addresses_inside_that_stand_for_nothing_lead_nowhere() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      for (String address : List.of("198.18.0.2", "198.18.200.1", "198.19.255.254", "198.18.0.1")) {
        var destination = Inside.at(address, 8080);
        assertThat(Talk.answer(inside.connect(destination), PING)).isEqualTo(Talk.RESET);
      }
      assertThat(inside.network.counters().denied()).isEqualTo(4);
    }
  }

  @Test
  void a_host_that_is_not_there_is_given_up_on() throws Exception {
    GatewayLimits limits = Limits.usual().dial(Duration.ofMillis(500)).limits();
    try (Inside inside =
        new Inside(
            folder, NetworkPolicy.EVERYTHING, NetworkPolicy.EVERYTHING, limits, Limits.NO_HTTP)) {
      inside.world.put("a.test", "127.77.0.1", "127.77.0.2");
      assertThat(Talk.answer(inside.connect("a.test", 1), "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"))
          .startsWith("HTTP/1.1 502 ");
      assertThat(Talk.answer(inside.connect("a.test", 1), PING)).isEqualTo(Talk.RESET);
      assertThat(inside.network.log().getLast().verdict().rule()).isEqualTo("connection failed");
    }
  }
}
