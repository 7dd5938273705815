package dev.cove.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("StringConcatToTextBlock") // the lines end in CR LF
@Timeout(30)
class HttpClientTest {
  private static final Request GET = Request.of("GET", "/x");
  private static final Request POST =
      Request.of("POST", "/x").body(Body.json("{}".getBytes(StandardCharsets.UTF_8)));

  private static String body(HttpClient client, Request request) throws IOException {
    try (Response response = client.send(request)) {
      return new String(response.readAll(1 << 20), StandardCharsets.UTF_8);
    }
  }

  private static ScriptedServer always(String answer) throws IOException {
    return new ScriptedServer(peer -> {
      while (!peer.readHead().isEmpty()) {
        peer.send(answer);
      }
    });
  }

  @Test
  void one_connection_serves_many_requests() throws IOException {
    try (var server = always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        var client = server.client()) {
      for (int i = 0; i < 10; i++) {
        assertThat(body(client, GET)).isEqualTo("hello");
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void a_chunked_answer_is_put_together_and_leaves_the_connection_usable() throws IOException {
    String answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: yes\r\n\r\n";
    try (var server = always(answer);
        var client = server.client()) {
      assertThat(body(client, GET)).isEqualTo("hello world");
      assertThat(body(client, GET)).isEqualTo("hello world");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void an_answer_without_a_length_lasts_until_the_connection_ends() throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              peer.send("HTTP/1.1 200 OK\r\n\r\nall of it");
            });
        var client = server.client()) {
      assertThat(body(client, GET)).isEqualTo("all of it");
      assertThat(body(client, GET)).isEqualTo("all of it");
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void a_connection_that_the_server_will_close_is_not_kept() throws IOException {
    try (var server =
            always("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        var client = server.client()) {
      body(client, GET);
      assertThat(client.idleConnections()).isZero();
    }
  }

  @Test
  void interim_answers_are_passed_over() throws IOException {
    String answer =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    try (var server = always(answer);
        var client = server.client()) {
      assertThat(body(client, GET)).isEqualTo("ok");
    }
  }

  @Test
  void an_answer_of_status_204_has_no_body() throws IOException {
    try (var server = always("HTTP/1.1 204 No Content\r\n\r\n");
        var client = server.client()) {
      assertThat(body(client, GET)).isEmpty();
      assertThat(body(client, GET)).isEmpty();
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 999 What\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: nameless\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded: line\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
      })
  void an_answer_that_is_not_http_is_refused(String answer) throws IOException {
    try (var server = always(answer);
        var client = server.client()) {
      assertThatThrownBy(() -> body(client, GET)).isInstanceOf(ProtocolException.class);
      assertThat(client.idleConnections()).isZero();
    }
  }

  @Test
  void a_head_without_end_is_cut_off() throws IOException {
    try (var lines = always("HTTP/1.1 200 OK\r\n" + "A: " + "b".repeat(1 << 20));
        var headers = always("HTTP/1.1 200 OK\r\n" + manyHeaders());
        var interims = always("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000))) {
      for (var server : List.of(lines, headers, interims)) {
        try (var client = server.client()) {
          assertThatThrownBy(() -> body(client, GET)).isInstanceOf(ProtocolException.class);
        }
      }
    }
  }

  private static String manyHeaders() {
    var headers = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      headers.append("X-").append(i).append(": y\r\n");
    }
    return headers.toString();
  }

  @Test
  void an_answer_that_breaks_off_is_not_taken_for_a_whole_one() throws IOException {
    for (String answer :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            "HTTP/1.1 200 OK\r\nConte")) {
      try (var server =
              new ScriptedServer(peer -> {
                peer.readHead();
                peer.send(answer);
              });
          var client = server.client()) {
        assertThatThrownBy(() -> body(client, GET)).isInstanceOf(EOFException.class);
      }
    }
  }

  @Test
  void an_answer_longer_than_the_caller_allows_is_refused() throws IOException {
    try (var server = always("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + "x".repeat(100));
        var client = server.client();
        Response response = client.send(GET)) {
      assertThatThrownBy(() -> response.readAll(99)).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void a_server_that_stays_silent_is_given_up_and_not_asked_again() throws IOException {
    try (var server = new ScriptedServer(ScriptedServer.Peer::readToEnd);
        var client = server.client()) {
      Request impatient = GET.readTimeout(Duration.ofMillis(100));
      assertThatThrownBy(() -> client.send(impatient)).isInstanceOf(SocketTimeoutException.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  /** Answers once, then hangs up as soon as the next request has come. */
  private static ScriptedServer hangingUpOnTheSecond() throws IOException {
    return new ScriptedServer(peer -> {
      peer.readHead();
      peer.answer("ok");
      peer.readHead();
      peer.reset();
    });
  }

  @Test
  void a_harmless_request_on_a_connection_that_died_is_sent_again() throws IOException {
    try (var server = hangingUpOnTheSecond();
        var client = server.client()) {
      body(client, GET);
      assertThat(body(client, GET)).isEqualTo("ok");
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void a_request_that_may_have_been_acted_on_is_not_sent_again() throws IOException {
    try (var server = hangingUpOnTheSecond();
        var client = server.client()) {
      body(client, GET);
      assertThatThrownBy(() -> client.send(POST)).isInstanceOf(IOException.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void a_create_with_an_idempotency_key_is_sent_again() throws IOException {
    try (var server = hangingUpOnTheSecond();
        var client = server.client()) {
      body(client, GET);
      assertThat(body(client, POST.header("Idempotency-Key", "k"))).isEqualTo("ok");
    }
  }

  @Test
  void a_connection_that_the_server_dropped_while_idle_is_noticed_before_a_request_is_risked()
      throws Exception {
    var dropped = new CountDownLatch(1);
    try (var server =
            new ScriptedServer(peer -> {
              if (peer.readHead().startsWith("POST")) {
                peer.answer("fresh");
                return;
              }
              peer.answer("first");
              dropped.countDown();
            });
        var client = server.client()) {
      body(client, GET);
      dropped.await();
      // Younger connections are trusted; this one must be looked at.
      TimeUnit.MILLISECONDS.sleep(600);
      assertThat(body(client, POST)).isEqualTo("fresh");
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void no_more_connections_are_kept_than_the_limit() throws Exception {
    int count = HttpClient.MAX_IDLE + 8;
    var arrived = new CountDownLatch(count);
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              arrived.countDown();
              arrived.await();
              peer.answer("ok");
              peer.readToEnd();
            });
        var client = server.client()) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    body(client, GET);
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(server.connections()).isEqualTo(count);
      assertThat(client.idleConnections()).isEqualTo(HttpClient.MAX_IDLE);
    }
  }

  @Test
  void a_body_of_unknown_length_goes_out_in_chunks() throws Exception {
    var received = new CompletableFuture<String>();
    try (var server =
            new ScriptedServer(peer -> {
              String head = peer.readHead();
              var body = new StringBuilder();
              while (!body.toString().endsWith("0\r\n\r\n")) {
                body.append((char) peer.in().read());
              }
              received.complete(head + body);
              peer.answer("ok");
            });
        var client = server.client()) {
      InputStream source = new ByteArrayInputStream("streamed".getBytes(StandardCharsets.UTF_8));
      body(client, Request.of("PUT", "/f").body(new Body.Streamed(source, -1, "text/plain")));
      assertThat(received.get())
          .contains("Transfer-Encoding: chunked\r\n")
          .endsWith("\r\n\r\n8\r\nstreamed\r\n0\r\n\r\n");
    }
  }

  @Test
  void an_upload_whose_source_fails_never_looks_complete() throws Exception {
    var received = new CompletableFuture<String>();
    try (var server =
            new ScriptedServer(peer ->
                received.complete(new String(peer.readToEnd(), StandardCharsets.ISO_8859_1)));
        var client = server.client()) {
      InputStream failing =
          new InputStream() {
            private int left = 3;

            @Override
            public int read() throws IOException {
              if (left-- == 0) {
                throw new IOException("the disk is gone");
              }
              return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
              target[offset] = (byte) read();
              return 1;
            }
          };
      assertThatThrownBy(() ->
              client.send(
                  Request.of("PUT", "/f").body(new Body.Streamed(failing, -1, "text/plain"))))
          .isInstanceOf(SourceFailedException.class);
      assertThat(received.get()).contains("1\r\nx\r\n").doesNotContain("0\r\n\r\n");
    }
  }

  @Test
  void a_refusal_sent_before_the_whole_body_was_read_is_seen() throws IOException {
    try (var server =
            new ScriptedServer(peer -> {
              peer.readHead();
              peer.send(
                  "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
              // Closing with bytes unread resets the connection while the client still writes.
              peer.in().readNBytes(1 << 20);
            });
        var client = server.client()) {
      var endless =
          new InputStream() {
            @Override
            public int read() {
              return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int length) {
              return length;
            }
          };
      try (Response response =
          client.send(
              Request.of("PUT", "/f")
                  .body(new Body.Streamed(endless, 1L << 33, "application/octet-stream")))) {
        assertThat(response.status()).isEqualTo(413);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nEvil: yes", "a\nb", "tab\there", "ümlaut"})
  void nothing_that_could_end_a_header_line_gets_into_one(String value) {
    assertThatThrownBy(() -> GET.header("X", value)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Request.of("GET", "/" + value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ftp://host", "host:7070", "http:///nohost", "http://u:p@host", "http://h?q=1"})
  void a_url_that_is_not_just_a_place_is_refused(String url) {
    assertThatThrownBy(() -> Endpoint.of(URI.create(url)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
