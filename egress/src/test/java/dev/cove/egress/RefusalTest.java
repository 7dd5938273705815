package dev.cove.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may not be reached is refused quickly, in words that the program understands. */
class RefusalTest {
  @TempDir Path folder;
  private Inside inside;

  @BeforeEach
  void open() throws Exception {
    inside = Inside.with(folder, Inside.allowing("a.test"));
  }

  @AfterEach
  void close() {
    inside.close();
  }

  @Test
  void a_request_gets_a_page_that_names_the_rule_and_the_remedy() throws Exception {
    String page =
        Talk.answer(inside.connect("evil.test", 80), "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n");

    assertThat(page)
        .startsWith("HTTP/1.1 403 Forbidden\r\n")
        .contains("\r\nX-Cove-Denied: default deny\r\n")
        .contains("evil.test:80")
        .contains("cove network allow %s evil.test:80".formatted(inside.id));
  }

  @Test
  void a_request_that_wants_json_gets_it() throws Exception {
    String page =
        Talk.answer(
            inside.connect("evil.test", 80),
            "GET / HTTP/1.1\r\nHost: evil.test\r\nAccept: application/json\r\n\r\n");

    assertThat(page)
        .contains("Content-Type: application/json")
        .endsWith(
            "{\"error\":{\"code\":\"network_denied\",\"destination\":\"evil.test:80\",\"remedy\":\"cove network allow %s evil.test:80\",\"rule\":\"default deny\"}}\n"
                .formatted(inside.id));
  }

  @Test
  void what_no_rule_can_allow_has_no_remedy() throws Exception {
    var metadata = Inside.at("169.254.169.254", 80);
    assertThat(Talk.answer(inside.connect(metadata), "GET /latest HTTP/1.1\r\nHost: x\r\n\r\n"))
        .contains("X-Cove-Denied: never metadata")
        .contains("No rule of this sandbox can allow it.");
  }

  @Test
  void tls_gets_an_alert_and_everything_else_a_reset_and_soon() throws Exception {
    Instant start = Instant.now();
    assertThat(Talk.answer(inside.connect("evil.test", 443), new Hello().name("evil.test").text()))
        .isEqualTo(Talk.ALERT);
    assertThat(Talk.answer(inside.connect("evil.test", 22), "SSH-2.0-x\r\n")).isEqualTo(Talk.RESET);
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofMillis(700));
    start = Instant.now();
    try (Socket silent = inside.connect("evil.test", 25)) {
      assertThat(Talk.hearAll(silent)).isEqualTo(Talk.RESET);
    }
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofMillis(700));
  }

  @Test
  void refusals_alike_share_a_line_of_the_log() throws Exception {
    for (int i = 0; i < 20; i++) {
      Talk.answer(inside.connect("evil.test", 22), "SSH-2.0-x\r\n");
    }
    assertThat(inside.network.counters().denied()).isEqualTo(20);
    assertThat(inside.network.log().size()).isLessThan(10);
    assertThat(inside.network.log().stream().mapToLong(line -> line.count()).sum()).isEqualTo(20);
  }
}
