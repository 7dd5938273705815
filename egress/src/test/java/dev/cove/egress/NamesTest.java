package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.testing.world.WorldServer;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class NamesTest {
  @TempDir Path folder;

  @Test
  void a_name_that_may_be_reached_has_one_address_that_stands_for_it() throws Exception {
    try (Inside inside = Inside.with(folder, Inside.allowing("*.test"))) {
      inside.world.put("a.test", "127.77.0.1");
      inside.world.put("b.test", "127.77.0.1");

      InetAddress first = inside.resolve("a.test");
      assertThat(InsideAddresses.NAMES.contains(first)).isTrue();
      assertThat(inside.resolve("A.TeST")).isEqualTo(first);
      assertThat(inside.resolve("b.test")).isNotEqualTo(first);
    }
  }

  @Test
  void a_denied_name_has_an_address_too_and_nobody_outside_hears_of_it() throws Exception {
    try (Inside inside = Inside.with(folder, Inside.allowing("good.test"))) {
      inside.world.put("evil.test", "127.77.0.1");

      assertThat(InsideAddresses.NAMES.contains(inside.resolve("evil.test"))).isTrue();
      assertThat(InsideAddresses.NAMES.contains(inside.resolve("c2VjcmV0.evil.test"))).isTrue();
      assertThat(inside.world.asked()).isEmpty();
      assertThat(inside.network.counters().nameQueriesDenied()).isEqualTo(2);
    }
  }

  @Test
  void a_name_of_which_some_port_may_be_reached_is_looked_up() throws Exception {
    NetworkPolicy policy =
        Inside.policy(Fallback.DENY, List.of("a.test:8443"), List.of("a.test:1-8000"));
    try (Inside inside = Inside.with(folder, policy)) {
      inside.world.put("a.test", "127.77.0.1");
      inside.resolve("a.test");
      assertThat(inside.world.asked()).contains("a.test");
    }
  }

  @Test
  void a_name_that_does_not_exist_does_not_exist_inside() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      assertThat(inside.ask("missing.test", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
      inside.world.fail(Rcode.SERVFAIL);
      assertThat(inside.ask("other.test", Type.A).getRcode()).isEqualTo(Rcode.SERVFAIL);
    }
  }

  @Test
  void a_name_server_that_does_not_answer_is_given_up_on_within_five_seconds() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      inside.world.fallSilent();
      long start = System.nanoTime();
      assertThat(inside.ask("a.test", Type.A).getRcode()).isEqualTo(Rcode.SERVFAIL);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Type.AAAA, Type.HTTPS, Type.SVCB, Type.TXT, Type.MX, Type.NULL, Type.SRV})
  void nothing_but_an_address_is_known_of_a_name(int type) throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      inside.world.put("a.test", "127.77.0.1");
      Message answer = inside.ask("a.test", type);
      assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
      assertThat(answer.getSection(Section.ANSWER)).isEmpty();
      assertThat(inside.world.asked()).isEmpty();
    }
  }

  @Test
  void questions_of_other_kinds_are_refused() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      assertThat(inside.ask("a.test", Type.ANY).getRcode()).isEqualTo(Rcode.REFUSED);
      assertThat(inside.ask("a.test", Type.AXFR).getRcode()).isEqualTo(Rcode.REFUSED);
      Record chaos = Record.newRecord(Name.fromString("a.test."), Type.A, DClass.CH);
      assertThat(inside.ask(Message.newQuery(chaos).toWire()).getRcode()).isEqualTo(Rcode.REFUSED);
      Message update = Message.newQuery(chaos);
      update.getHeader().setOpcode(Opcode.UPDATE);
      assertThat(inside.ask(update.toWire()).getRcode()).isEqualTo(Rcode.NOTIMP);
      var two = Message.newQuery(Record.newRecord(Name.fromString("a.test."), Type.A, DClass.IN));
      two.addRecord(
          Record.newRecord(Name.fromString("b.test."), Type.A, DClass.IN), Section.QUESTION);
      assertThat(inside.ask(two.toWire()).getRcode()).isEqualTo(Rcode.FORMERR);
    }
  }

  @Test
  void extensions_are_answered_and_unknown_versions_of_them_refused() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.NOTHING)) {
      var query = Message.newQuery(Record.newRecord(Name.fromString("a.test."), Type.A, DClass.IN));
      query.addRecord(new OPTRecord(4096, 0, 0), Section.ADDITIONAL);
      assertThat(inside.ask(query.toWire()).getOPT()).isNotNull();
      query.removeAllRecords(Section.ADDITIONAL);
      query.addRecord(new OPTRecord(4096, 0, 1), Section.ADDITIONAL);
      assertThat(inside.ask(query.toWire()).getRcode()).isEqualTo(Rcode.BADVERS);
    }
  }

  @Test
  void an_address_that_stands_for_a_name_leads_back_to_it() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      inside.world.put("a.test", "127.77.0.1");
      String[] parts = inside.resolve("a.test").getHostAddress().split("\\.");
      String reverse = "%s.%s.%s.%s.in-addr.arpa".formatted(parts[3], parts[2], parts[1], parts[0]);
      Record pointer = inside.ask(reverse, Type.PTR).getSection(Section.ANSWER).getFirst();
      assertThat(((PTRRecord) pointer).getTarget()).hasToString("a.test.");
      assertThat(inside.ask("1.0.0.10.in-addr.arpa", Type.PTR).getRcode())
          .isEqualTo(Rcode.NXDOMAIN);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "a.0x1"})
  void addresses_spelled_as_names_are_no_names(String spelled) throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.EVERYTHING)) {
      assertThat(inside.ask(spelled, Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
      assertThat(inside.world.asked()).isEmpty();
    }
  }

  @Test
  void names_can_be_asked_for_over_a_connection() throws Exception {
    try (Inside inside = Inside.with(folder, NetworkPolicy.NOTHING);
        Socket socket = inside.nameStream()) {
      for (int i = 0; i < 3; i++) {
        Record question = Record.newRecord(Name.fromString("a.test."), Type.A, DClass.IN);
        byte[] query = Message.newQuery(question).toWire();
        socket
            .getOutputStream()
            .write(
                ByteBuffer.allocate(2 + query.length)
                    .putShort((short) query.length)
                    .put(query)
                    .array());
        var in = new DataInputStream(socket.getInputStream());
        var answer = new Message(in.readNBytes(in.readUnsignedShort()));
        assertThat(answer.getSection(Section.ANSWER)).hasSize(1);
        assertThat(answer.getHeader().getFlag(Flags.RA)).isTrue();
      }
    }
  }

  @Test
  void what_is_kept_of_a_sandbox_can_be_found_and_forgotten() throws Exception {
    try (Inside inside = Inside.with(folder.resolve("x"), NetworkPolicy.EVERYTHING)) {
      inside.world.put("a.test", "127.77.0.1");
      inside.resolve("a.test");
      assertThat(inside.gateway.remembered()).containsExactly(inside.id);
      inside.network.close();
      inside.gateway.forget(inside.id);
      assertThat(inside.gateway.remembered()).isEmpty();
    }
  }

  @Test
  void names_at_random_push_out_no_name_that_may_be_reached() throws Exception {
    try (Inside inside = Inside.with(folder, Inside.allowing("a.test"));
        WorldServer server = new WorldServer("127.77.0.1", WorldServer.ECHO)) {
      inside.world.put("a.test", "127.77.0.1");
      InetAddress address = inside.resolve("a.test");
      IntStream.range(0, 500).forEach(i -> quietly(inside, "r" + i + ".evil.test"));
      try (Socket socket = inside.connect(new InetSocketAddress(address, server.port()))) {
        Talk.say(socket, "ping\n");
        assertThat(Talk.hear(socket, 5)).isEqualTo("ping\n");
      }
      assertThat(inside.world.asked()).containsOnly("a.test");
    }
  }

  private static void quietly(Inside inside, String name) {
    try {
      inside.ask(name, Type.A);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void more_questions_than_the_limit_are_refused() throws Exception {
    GatewayLimits few = Limits.usual().nameQueries(10).limits();
    try (Inside inside =
        new Inside(folder, NetworkPolicy.NOTHING, NetworkPolicy.EVERYTHING, few, Limits.NO_HTTP)) {
      long refused =
          IntStream.range(0, 100)
              .mapToObj(i -> code(inside, "n" + i + ".test"))
              .filter(code -> code == Rcode.REFUSED)
              .count();
      assertThat(refused).isBetween(50L, 80L);
    }
  }

  private static int code(Inside inside, String name) {
    try {
      return inside.ask(name, Type.A).getRcode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void the_smallest_rule_that_would_allow_something_is_named() throws Exception {
    NetworkPolicy policy = Inside.policy(Fallback.DENY, List.of("a.test:443"), List.of("b.test"));
    try (Inside inside = Inside.with(folder, policy)) {
      inside.world.put("a.test", "127.77.0.1");
      inside.world.put("private.test", "10.0.0.1");
      SandboxNetwork network = inside.network;

      assertThat(network.explain(Destination.parse("a.test:443")).remedy()).isEmpty();
      assertThat(network.explain(Destination.parse("a.test:80")).remedy())
          .hasToString("Optional[a.test:80]");
      assertThat(network.explain(Destination.parse("b.test:80")).remedy()).isEmpty();
      assertThat(network.explain(Destination.parse("b.test:80")).verdict().rule())
          .isEqualTo("deny b.test");
      Explanation metadata = network.explain(Destination.parse("169.254.169.254:80"));
      assertThat(metadata.absolute()).isTrue();
      assertThat(metadata.remedy()).isEmpty();
      assertThat(metadata.verdict().rule()).isEqualTo("never metadata");
      network.change(NetworkPolicy.EVERYTHING);
      Explanation hidden = network.explain(Destination.parse("private.test:80"));
      assertThat(hidden.absolute()).isTrue();
      assertThat(hidden.verdict().denied()).isTrue();
    }
  }
}
