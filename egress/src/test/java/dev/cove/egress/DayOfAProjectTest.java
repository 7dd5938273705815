package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.ProjectName;
import dev.cove.model.network.Destination;
import dev.cove.model.network.DomainName;
import dev.cove.testing.world.WorldServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the sandboxes of a project may send and receive in a day. */
class DayOfAProjectTest {
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final String QUOTA = "quota egressMbPerDay of project default";

  @TempDir Path folder;
  private Inside inside;
  private WorldServer server;

  @BeforeEach
  void open() throws IOException {
    inside = Inside.with(folder, Inside.allowing("a.test"));
    inside.world.put("a.test", "127.77.0.1");
    server = new WorldServer("127.77.0.1", WorldServer.ECHO);
  }

  @AfterEach
  void close() throws IOException {
    inside.close();
    server.close();
  }

  private void limit(long bytes) {
    inside.gateway.day(ProjectName.DEFAULT).limit(OptionalLong.of(bytes));
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
  void one_byte_too_many_cuts_all_that_is_open_and_the_server_never_gets_it() throws Exception {
    limit(120);
    try (Socket idle = talking();
        Socket busy = talking()) {
      Talk.say(busy, "x".repeat(101));
      assertThat(Talk.hearAll(busy)).endsWith(Talk.RESET);
      assertThat(Talk.hearAll(idle)).endsWith(Talk.RESET);
    }
    assertThat(server.got()).isEqualTo("ping\nping\n");
    assertThat(inside.network.log())
        .filteredOn(line -> line.verdict().rule().equals(QUOTA))
        .as("both")
        .singleElement()
        .satisfies(line -> assertThat(line.count()).isEqualTo(2));
  }

  @Test
  void what_comes_afterwards_hears_why_until_there_is_more_or_the_day_is_over() throws Exception {
    limit(10);
    talking().close();
    assertThat(refusal())
        .startsWith("HTTP/1.1 403")
        .contains("X-Cove-Denied: " + QUOTA)
        .contains("midnight UTC");
    assertThat(rules()).contains(QUOTA);
    var there = Destination.of(DomainName.of("a.test"), server.port());
    assertThat(inside.network.explain(there).verdict().rule()).isEqualTo(QUOTA);
    limit(20);
    talking().close();
    assertThat(refusal()).startsWith("HTTP/1.1 403");
    inside.now.updateAndGet(now -> now.plus(Duration.ofDays(1)));
    talking().close();
  }

  @Test
  void a_sandbox_that_becomes_another_projects_spends_what_is_that_ones() throws Exception {
    limit(10);
    inside.network.belong(new ProjectName("shop"));
    talking().close();
    talking().close();
    assertThat(inside.gateway.day(ProjectName.DEFAULT).spentToday()).isZero();
    assertThat(inside.gateway.day(new ProjectName("shop")).spentToday()).isEqualTo(20);
  }
}
