package dev.cove.egress;

import static dev.cove.egress.Inspected.VALUE;
import static dev.cove.egress.Inspected.added;
import static dev.cove.egress.Inspected.binding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS that is ended at the gateway: whom it speaks with, and what gets through. */
class InspectionTest {
  @TempDir Path folder;
  private Inspected box;
  private ApiServer server;

  @BeforeEach
  void open() throws Exception {
    box = new Inspected(folder);
    server = new ApiServer(box.authority.server("api.test"));
    box.bind(added(binding("bearer", "api.test")));
  }

  @AfterEach
  void close() throws Exception {
    box.close();
    server.close();
  }

  private void isRefused(SSLContext context) throws Exception {
    try (var bad = new ApiServer(context)) {
      String answer = box.call(bad.port(), "GET /", "Authorization: Bearer " + box.placeholder);
      assertThat(answer).startsWith("HTTP/1.1 502").doesNotContain(VALUE);
      assertThat(bad.got()).isEmpty();
      assertThat(box.inside.network.log())
          .extracting(LoggedDecision::toString)
          .anyMatch(line -> line.contains("its certificate is not good for that name"));
    }
  }

  @Test
  void a_server_whose_certificate_has_expired_gets_nothing() throws Exception {
    isRefused(box.authority.expired("api.test"));
  }

  @Test
  void a_server_whose_certificate_is_for_another_name_gets_nothing() throws Exception {
    isRefused(box.authority.server("evil.test"));
  }

  @Test
  void a_server_that_vouches_for_itself_gets_nothing() throws Exception {
    isRefused(Authority.selfSigned("api.test"));
  }

  @Test
  void a_server_of_an_authority_that_nobody_trusts_gets_nothing() throws Exception {
    isRefused(new Authority().server("api.test"));
  }

  @Test
  void a_server_that_speaks_no_tls_gets_nothing_and_the_client_is_told() throws Exception {
    try (var plain = new ApiServer()) {
      assertThat(box.call(plain.port(), "GET /")).startsWith("HTTP/1.1 502");
      assertThat(plain.got()).doesNotContain(VALUE);
    }
  }

  @Test
  void a_client_that_names_another_host_in_tls_is_refused() throws Exception {
    assertThatThrownBy(() ->
            box.over(box.inside.connect("api.test", server.port()), "evil.test", server.port()))
        .isInstanceOf(SSLException.class);
    assertThat(server.connections()).isZero();
  }

  @Test
  void a_client_that_does_not_trust_the_gateway_sends_nothing() throws Exception {
    box.inside.network.bind(List.of(binding("bearer", "api.test")));
    var stranger = Authority.trusting(box.authority.certificate);
    try (Socket plain = box.inside.connect("api.test", server.port());
        Socket socket =
            stranger.getSocketFactory().createSocket(plain, "api.test", server.port(), true)) {
      assertThatThrownBy(() -> socket.getOutputStream().write(1)).isInstanceOf(SSLException.class);
    }
    assertThat(server.got()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: api.test\r\nHost: api.test",
        "Host: api.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked",
        "Host: api.test\r\nContent-Length: 4\r\nContent-Length: 4",
        "Host: api.test\r\nContent-Length: +4",
        "Host: api.test\r\nTransfer-Encoding: gzip, chunked",
        "Host: api.test\r\nTransfer-Encoding : chunked",
        "Host: api.test\r\nX: a\r\n folded",
        "Host: api.test\r\nX: a\nY: b",
        "Host: api.test\r\nX: a\u0000b",
        "Host: evil.test",
        "Host: api.test@evil.test",
        "X: no host"
      })
  void a_request_that_two_programs_could_read_in_two_ways_does_not_go_out(String fields)
      throws Exception {
    String answer =
        Talk.answer(
            box.connect("api.test", server.port()), "POST / HTTP/1.1\r\n" + fields + "\r\n\r\n");
    assertThat(answer).containsPattern("^HTTP/1.1 4(00|21) ");
    assertThat(server.got()).isEmpty();
  }

  @Test
  void an_absolute_target_of_another_host_does_not_go_out() throws Exception {
    assertThat(box.call(server.port(), "GET http://evil.test/")).startsWith("HTTP/1.1 421");
    assertThat(box.call(server.port(), "CONNECT evil.test:443")).startsWith("HTTP/1.1 421");
    assertThat(server.got()).isEmpty();
  }

  @Test
  void requests_that_follow_one_another_at_once_are_answered_one_by_one() throws Exception {
    String request = "GET /%d HTTP/1.1\r\nHost: api.test\r\n%s\r\n";
    String answers =
        Talk.answer(
            box.connect("api.test", server.port()),
            request.formatted(1, "") + request.formatted(2, "Connection: close\r\n"));
    assertThat(answers).containsSubsequence("GET /1", "GET /2");
    assertThat(server.connections()).isOne();
  }

  @Test
  void rules_for_methods_and_paths_hold_inside_tls() throws Exception {
    box.bind();
    NetworkRule reads = NetworkRule.of("api.test").withRequests(Set.of("GET"), List.of("/v1/*"));
    box.inside.network.change(NetworkPolicy.NOTHING.alsoAllowing(reads));
    assertThat(box.call(server.port(), "GET /v1/x")).startsWith("HTTP/1.1 200");
    assertThat(box.call(server.port(), "DELETE /v1/x"))
        .startsWith("HTTP/1.1 403")
        .contains("cove network allow");
    assertThat(box.call(server.port(), "GET /v2")).startsWith("HTTP/1.1 403");
    assertThat(server.got()).doesNotContain("DELETE").doesNotContain("/v2");
  }

  @Test
  void a_connection_that_is_no_longer_allowed_is_cut() throws Exception {
    try (Socket socket = box.connect("api.test", server.port())) {
      box.inside.network.change(NetworkPolicy.NOTHING);
      assertThatThrownBy(
              () -> {
                if (socket.getInputStream().read() < 0) {
                  throw new IOException("ended");
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void events_arrive_before_the_stream_ends() throws Exception {
    try (Socket socket = box.connect("api.test", server.port())) {
      Talk.say(socket, "GET /events HTTP/1.1\r\nHost: api.test\r\n\r\n");
      var heard = new StringBuilder();
      while (heard.indexOf("data: first\n\n") < 0) {
        heard.append((char) socket.getInputStream().read());
      }
      server.second.countDown();
      assertThat(Talk.hearAll(socket)).contains("data: second\n\n");
    }
  }

  @Test
  void an_upgrade_takes_the_secret_along_and_frames_pass_unchanged() throws Exception {
    try (Socket socket = box.connect("api.test", server.port())) {
      Talk.say(
          socket,
          "GET /upgrade HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      var heard = new StringBuilder();
      while (heard.indexOf("\r\n\r\n") < 0) {
        heard.append((char) socket.getInputStream().read());
      }
      assertThat(heard).startsWith("HTTP/1.1 101");
      assertThat(server.got()).contains("Authorization: Bearer " + VALUE);
      String frame = "\u0081\u0005" + box.placeholder;
      Talk.say(socket, frame);
      assertThat(Talk.hear(socket, frame.length())).isEqualTo(frame);
      socket.shutdownOutput();
      assertThat(Talk.hearAll(socket)).isEmpty();
    }
  }

  @Test
  void large_bodies_pass_both_ways_and_are_never_held() throws Exception {
    long size = 200L << 20;
    long before = used();
    try (Socket socket = box.connect("api.test", server.port())) {
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(() -> {
            try {
              Talk.say(
                  socket,
                  "POST /upload HTTP/1.1\r\nHost: api.test\r\nContent-Length: %d\r\n\r\n"
                      .formatted(size));
              byte[] block = new byte[64 << 10];
              for (long sent = 0; sent < size; sent += block.length) {
                socket.getOutputStream().write(block);
              }
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      String answer = "";
      while (!answer.contains("%010d".formatted(size))) {
        answer += (char) socket.getInputStream().read();
      }
      sending.get(60, TimeUnit.SECONDS);
      Talk.say(socket, "GET /big HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n");
      assertThat(drained(socket.getInputStream())).isGreaterThan(size);
    }
    assertThat(used() - before).isLessThan(64L << 20);
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static long drained(InputStream in) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long all = 0;
    for (int n; (n = in.read(buffer)) >= 0; ) {
      all += n;
    }
    return all;
  }

  @Test
  void the_secret_is_in_no_line_of_the_log_at_any_level() throws Exception {
    var lines = new StringBuilder();
    var handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            synchronized (lines) {
              lines.append(record.getLoggerName()).append(record.getMessage());
              Throwable thrown = record.getThrown();
              lines.append(thrown == null ? "" : thrown.toString()).append('\n');
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger root = Logger.getLogger("");
    Level old = root.getLevel();
    root.addHandler(handler);
    root.setLevel(Level.ALL);
    try {
      box.call(server.port(), "GET /", "Accept: */*");
      box.call(server.port(), "GET /brotli");
      box.call(server.port(), "GET /", "Host: again");
    } finally {
      root.setLevel(old);
      root.removeHandler(handler);
    }
    assertThat(server.got()).contains(VALUE);
    assertThat(lines).doesNotContain(VALUE);
    assertThat(box.inside.network.log().toString()).doesNotContain(VALUE);
  }
}
