package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.network.NetworkPolicy;
import dev.cove.testing.world.WorldServer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The name in a TLS greeting is the name that was asked for, or nothing goes out. */
class TlsTest {
  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws Exception {
    GatewayLimits limits = Limits.usual().head(Duration.ofSeconds(2)).limits();
    inside =
        new Inside(
            folder,
            Inside.allowing("a.test", "b.test", "127.77.0.0/16"),
            NetworkPolicy.EVERYTHING,
            limits,
            Limits.NO_HTTP);
    server = new WorldServer("127.77.0.1", WorldServer.ECHO);
    inside.world.put("a.test", "127.77.0.1");
    inside.world.put("b.test", "127.77.0.1");
  }

  @AfterEach
  void close() throws Exception {
    inside.close();
    server.close();
  }

  @Test
  void a_greeting_with_the_asked_for_name_passes_untouched() throws Exception {
    byte[] hello = Hello.real("a.test");
    try (Socket socket = inside.connect("a.test", server.port())) {
      socket.getOutputStream().write(hello);
      assertThat(socket.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
      Talk.say(socket, "and then anything");
      assertThat(Talk.hear(socket, 17)).isEqualTo("and then anything");
    }
    passes(new Hello().name("A.TEST"));
    passes(new Hello().extension(0x0A0A, new byte[1]).name("a.test").version(0x0301));
  }

  @Test
  void a_greeting_may_come_byte_by_byte_in_many_records_and_be_long() throws Exception {
    Hello hello = new Hello().extension(21, new byte[300]).name("a.test").records(40);
    try (Socket socket = inside.connect("a.test", server.port())) {
      for (byte one : hello.bytes()) {
        socket.getOutputStream().write(one);
        Thread.sleep(1);
      }
      assertThat(Talk.hear(socket, hello.bytes().length)).isEqualTo(hello.text());
    }
    passes(new Hello().extension(21, new byte[40_000]).name("a.test"));
  }

  @Test
  void every_other_name_is_refused_and_none_of_it_goes_out() throws Exception {
    refused(new Hello().name("b.test"));
    refused(new Hello().name("evil.test"));
    refused(new Hello().name("a.test."));
    refused(new Hello().name("a.test.evil.test"));
    refused(new Hello().name("nota.test"));
    refused(new Hello().name("a.test\u0000.evil.test"));
    refused(new Hello().name("127.77.0.1"));
    refused(new Hello());
    refused(new Hello().name("a.test", "evil.test"));
    refused(new Hello().name("evil.test").name("a.test"));
    refused(new Hello().name("public.test").extension(0xFE0D, new byte[100]));
    refused(new Hello().name("a.test").version(0x0203));
    refused(new Hello().extension(21, new byte[60_000]).name("a.test").records(9));
    assertThat(server.got()).isEmpty();
    assertThat(inside.network.log()).allMatch(line -> line.verdict().denied());
  }

  @Test
  void an_encrypted_inner_name_passes_under_the_asked_for_outer_one() throws Exception {
    passes(new Hello().name("a.test").extension(0xFE0D, new byte[100]));
  }

  @Test
  void greetings_of_other_kinds_are_refused() throws Exception {
    List<String> greetings =
        List.of(
            "\u0080.\u0001\u0003\u0001\u0000\u0015\u0000\u0000\u0000\u0010",
            "\u0080.\u0001\u0000\u0002\u0000\u0015\u0000\u0000\u0000\u0010",
            "\u0015\u0003\u0001\u0000\u0002\u0001\u0000" + new Hello().name("evil.test").text(),
            "\u0014\u0003\u0001\u0000\u0001\u0001" + new Hello().name("evil.test").text(),
            "\u0017\u0003\u0001\u0000\u0001\u0001");
    for (String greeting : greetings) {
      assertThat(Talk.answer(inside.connect("a.test", server.port()), greeting))
          .isIn(Talk.ALERT, Talk.RESET);
    }
    assertThat(server.got()).isEmpty();
  }

  @Test
  void a_greeting_that_is_never_finished_is_given_up_on() throws Exception {
    long start = System.nanoTime();
    String half = new Hello().name("a.test").text().substring(0, 30);
    try (Socket socket = inside.connect("a.test", server.port())) {
      Talk.say(socket, half);
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.ALERT);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(server.got()).isEmpty();
  }

  @Test
  void a_late_greeting_is_looked_at_all_the_same() throws Exception {
    try (Socket socket = inside.connect("a.test", server.port())) {
      Thread.sleep(400);
      Talk.say(socket, new Hello().name("evil.test").text());
      assertThat(Talk.hearAll(socket)).isEqualTo(Talk.ALERT);
    }
    assertThat(server.got()).isEmpty();
    try (Socket socket = inside.connect("a.test", server.port())) {
      Thread.sleep(400);
      String hello = new Hello().name("a.test").text();
      Talk.say(socket, hello);
      assertThat(Talk.hear(socket, hello.length())).isEqualTo(hello);
    }
  }

  @Test
  void where_an_address_was_asked_for_there_is_no_name_to_be_held_to() throws Exception {
    var address = Inside.at("127.77.0.1", server.port());
    String hello = new Hello().name("whatever.test").text();
    try (Socket socket = inside.connect(address)) {
      Talk.say(socket, hello);
      assertThat(Talk.hear(socket, hello.length())).isEqualTo(hello);
    }
  }

  private void passes(Hello hello) throws Exception {
    try (Socket socket = inside.connect("a.test", server.port())) {
      socket.getOutputStream().write(hello.bytes());
      assertThat(
              new String(
                  socket.getInputStream().readNBytes(hello.bytes().length),
                  StandardCharsets.ISO_8859_1))
          .isEqualTo(hello.text());
    }
  }

  private void refused(Hello hello) throws Exception {
    assertThat(Talk.answer(inside.connect("a.test", server.port()), hello.text()))
        .isEqualTo(Talk.ALERT);
  }
}
