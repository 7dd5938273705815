package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cove.egress.intercept.HttpInterception;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.PortRange;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that reach each other. What listens in the other is a server on this machine. */
class GroupsTest {
  private static final String PING = "ping\n";

  @TempDir Path folder;
  private Inside inside;
  private SandboxNetwork db;
  private SandboxId dbId;
  private WorldServer server;

  @BeforeEach
  void open() throws IOException {
    server = new WorldServer("127.0.0.1", WorldServer.ECHO);
    begin(NetworkPolicy.NOTHING, NetworkPolicy.EVERYTHING, GatewayLimits.USUAL);
  }

  private void begin(NetworkPolicy policy, NetworkPolicy floor, GatewayLimits limits)
      throws IOException {
    if (inside != null) {
      inside.close();
    }
    inside = new Inside(folder, policy, floor, limits, HttpInterception.NONE);
    dbId = SandboxId.random();
    var local = Inside.at("127.0.0.1", 0);
    db =
        inside.gateway.attach(
            dbId,
            new NetworkSockets(
                ServerSocketChannel.open().bind(local), DatagramChannel.open().bind(local)),
            ProjectName.DEFAULT,
            NetworkPolicy.NOTHING);
    join(inside.network, "shop", "web");
    join(db, "shop", "DB");
  }

  private static void join(SandboxNetwork network, String group, String name, String... ports) {
    network.join(
        new GroupMembership(group, Stream.of(ports).map(PortRange::of).toList())
            .of(ProjectName.DEFAULT, name),
        SocketChannel::open);
  }

  @AfterEach
  void close() throws IOException {
    inside.close();
    server.close();
  }

  private String ping(String name) throws IOException {
    return Talk.answerInWords(
        () -> inside.connect(name, server.port()), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  private void assertReached(String name) throws IOException {
    try (Socket socket = inside.connect(name, server.port())) {
      Talk.say(socket, PING);
      assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
    }
  }

  private LoggedDecision last() {
    return inside.network.log().getLast();
  }

  @Test
  void a_member_is_reached_by_its_name_and_its_id_and_nobody_outside_is_asked() throws Exception {
    for (String name : List.of("db", "DB", "db.internal", dbId.value(), dbId + ".internal")) {
      assertReached(name);
      assertThat(last().verdict().rule()).isEqualTo("group shop");
      assertThat(last().dialled()).isEqualTo("sandbox " + dbId);
    }
    assertThat(inside.world.asked()).isEmpty();
  }

  @Test
  void a_server_in_another_sandbox_may_be_the_first_to_speak() throws Exception {
    try (var greeting =
            new WorldServer(
                "127.0.0.1",
                (socket, _) -> {
                  socket.getOutputStream().write("hi\n".getBytes(StandardCharsets.UTF_8));
                  socket.getInputStream().read();
                });
        Socket socket = inside.connect("db", greeting.port())) {
      assertThat(Talk.hear(socket, 3)).isEqualTo("hi\n");
    }
  }

  @Test
  void whoever_is_not_in_the_group_is_refused_as_for_any_name() throws Exception {
    inside.network.leave();
    String alone = ping("db");
    assertThat(alone).contains("Decided by: default deny");
    assertThat(ping("xy")).isEqualTo(alone.replace(" db:", " xy:"));
    join(inside.network, "other", "web");
    assertThat(ping("db")).isEqualTo(alone);
    assertThat(ping(dbId.value())).contains("Decided by: default deny");
    assertThat(server.connections()).isZero();
    assertThat(inside.world.asked()).isEmpty();
  }

  @Test
  void a_name_of_the_world_is_not_taken_over_by_a_group() throws Exception {
    begin(NetworkPolicy.EVERYTHING, NetworkPolicy.EVERYTHING, GatewayLimits.USUAL);
    try (WorldServer world = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      inside.world.put("api.example.com", "127.77.0.1");
      join(db, "shop", "api.example.com");
      try (Socket socket = inside.connect("api.example.com", world.port())) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      assertThat(last().dialled()).isEqualTo("127.77.0.1");
      assertReached(dbId.value());
    }
  }

  @Test
  void connections_end_when_either_leaves_the_group() throws Exception {
    List<Runnable> partings =
        List.of(
            () -> inside.network.leave(),
            () -> db.leave(),
            () -> join(db, "other", "DB"),
            () -> join(inside.network, "other", "web"));
    for (Runnable parting : partings) {
      join(inside.network, "shop", "web");
      join(db, "shop", "DB");
      try (Socket socket = inside.connect("db", server.port())) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
        parting.run();
        assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
      }
    }
  }

  @Test
  void connections_end_with_the_sandbox_that_they_lead_to() throws Exception {
    try (Socket socket = inside.connect("db", server.port())) {
      Talk.say(socket, PING);
      assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      db.close();
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
    }
    assertThat(ping("db")).contains("default deny");
  }

  @Test
  void others_connect_only_to_the_ports_that_are_offered() throws Exception {
    try (Socket socket = inside.connect("db", server.port())) {
      Talk.say(socket, PING);
      assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      join(db, "shop", "DB", "1", "80-90");
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
    }
    assertThat(ping("db")).contains("Decided by: group shop offers 1,80-90");
    join(db, "shop", "DB", String.valueOf(server.port()));
    assertReached("db");
    assertThat(explain("db:1").verdict().denied()).isTrue();
  }

  @Test
  void the_gateways_own_listener_is_offered_to_nobody() throws Exception {
    for (String port : List.of("1", "*")) {
      join(db, "shop", "DB", port);
      assertThat(explain("db:1").verdict().denied()).isTrue();
    }
  }

  private Explanation explain(String destination) throws InterruptedException {
    return inside.network.explain(Destination.parse(destination));
  }

  @Test
  void rules_that_deny_hold_within_a_group() throws Exception {
    String there = "db.internal:" + server.port();
    try (Socket socket = inside.connect("db", server.port())) {
      Talk.say(socket, PING);
      assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      inside.network.change(Inside.policy(Fallback.DENY, List.of(), List.of(there)));
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.RESET);
    }
    assertThat(ping("db")).contains("Decided by: deny " + there);
    assertThat(explain(there).remedy()).map(NetworkRule::toString).contains(there);
    inside.network.change(Inside.policy(Fallback.ALLOW, List.of(), List.of("*")));
    assertThat(ping("db")).contains("Decided by: deny *");
    assertThat(inside.world.asked()).isEmpty();
  }

  @Test
  void a_rule_can_deny_some_requests_within_a_group() throws Exception {
    inside.network.change(
        new NetworkPolicy(
            Fallback.DENY, Set.of(), List.of(), List.of(NetworkRule.parse("db DELETE"))));
    assertThat(
            Talk.answer(
                inside.connect("db", server.port()), "DELETE / HTTP/1.1\r\nHost: db\r\n\r\n"))
        .contains("Decided by: deny db DELETE");
    assertThat(server.got()).doesNotContain("DELETE");
  }

  @Test
  void the_operators_floor_must_allow_what_a_group_does() throws Exception {
    begin(NetworkPolicy.NOTHING, Inside.allowing("a.test"), GatewayLimits.USUAL);
    assertThat(ping("db")).contains("Decided by: operator's default deny");
    begin(NetworkPolicy.NOTHING, Inside.allowing("*.internal"), GatewayLimits.USUAL);
    assertReached("db");
    begin(
        NetworkPolicy.NOTHING,
        Inside.policy(Fallback.ALLOW, List.of(), List.of("db.internal")),
        GatewayLimits.USUAL);
    assertThat(ping("db")).contains("Decided by: operator's deny db.internal");
    assertThat(inside.world.asked()).isEmpty();
  }

  @Test
  void there_are_as_many_connections_to_a_member_as_the_limit_says() throws Exception {
    begin(NetworkPolicy.NOTHING, NetworkPolicy.EVERYTHING, Limits.usual().visits(2).limits());
    try (Socket first = inside.connect("db", server.port());
        Socket second = inside.connect("db", server.port())) {
      for (Socket socket : List.of(first, second)) {
        Talk.say(socket, PING);
        assertThat(Talk.hear(socket, 5)).isEqualTo(PING);
      }
      assertThat(ping("db")).contains("limit connections to a member");
      assertThat(last().verdict().denied()).isTrue();
    }
    await().untilAsserted(() -> assertThat(inside.network.counters().open()).isZero());
    assertReached("db");
  }

  @Test
  void a_port_where_nothing_listens_is_refused_soon() throws Exception {
    int port = server.port();
    server.close();
    assertThat(
            Talk.answerInWords(
                () -> inside.connect("db", port), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 502")
        .contains("nothing listens there");
  }

  @Test
  void a_name_within_a_group_survives_what_it_stands_for() throws Exception {
    var address = inside.resolve("db");
    db.leave();
    assertThat(
            Talk.answerInWords(
                () -> inside.connect(new InetSocketAddress(address, server.port())),
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        .contains("may not reach db:");
    join(db, "shop", "db");
    assertThat(inside.resolve("db")).isEqualTo(address);
    assertReached("db");
  }
}
