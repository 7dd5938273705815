package dev.cove.egress;

import static dev.cove.egress.Inspected.VALUE;
import static dev.cove.egress.Inspected.added;
import static dev.cove.egress.Inspected.binding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.egress.H2Client.Answer;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 through a gateway that ends TLS. */
class Http2Test {
  @TempDir Path folder;
  private Inspected box;
  private H2Server server;

  @BeforeEach
  void open() throws Exception {
    box = new Inspected(folder);
    server = new H2Server(box.authority.server("api.test"));
    box.bind(binding("bearer", "api.test"));
  }

  @AfterEach
  void close() throws Exception {
    box.close();
    server.close();
  }

  private SSLSocket connect() throws IOException {
    SSLSocket socket = box.connect("api.test", server.port(), "h2", "http/1.1");
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    return socket;
  }

  private H2Client client() throws IOException {
    return new H2Client(connect());
  }

  private String url(String path) {
    return "https://api.test:" + server.port() + path;
  }

  private String bearer() {
    return "authorization: Bearer " + box.placeholder;
  }

  @Test
  void a_placeholder_goes_out_as_the_secret_and_comes_back_as_the_placeholder() throws Exception {
    try (H2Client client = client()) {
      for (String path : List.of("/", "/gzip", "/bytes")) {
        Answer answer =
            client.call("GET", url(path), List.of(bearer(), "accept-encoding: gzip, br"), "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("Bearer " + box.placeholder).doesNotContain(VALUE);
        assertThat(answer.fields().get("content-encoding")).isNull();
        assertThat(server.got.getLast())
            .startsWith("HTTP/2.0 GET " + path)
            .contains("authorization: Bearer " + VALUE + "\n")
            .contains("accept-encoding: gzip\n");
      }
    }
  }

  @Test
  void an_answer_into_which_one_can_not_look_is_replaced_and_others_go_on() throws Exception {
    try (H2Client client = client()) {
      for (String body : List.of("", "a body")) {
        Answer answer =
            client.call(body.isEmpty() ? "GET" : "POST", url("/brotli"), List.of(bearer()), body);
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("A secret is bound to this host").contains("coding");
        assertThat(answer.fields().get("content-encoding")).isNull();
      }
      assertThat(client.call("GET", url("/gzip"), List.of(bearer()), "").status()).isEqualTo(200);
    }
  }

  @Test
  void it_is_added_and_put_into_queries_and_bodies() throws Exception {
    box.bind(
        added(binding("header:X-Key", "api.test")),
        binding("query:key", "api.test"),
        binding("body:key", "api.test"));
    try (H2Client client = client()) {
      client.call(
          "POST",
          url("/x?key=" + box.placeholder),
          List.of("content-type: application/json"),
          "{\"key\":\"" + box.placeholder + "\"}");
      assertThat(server.got.getLast())
          .contains("/x?key=" + VALUE)
          .contains("x-key: " + VALUE)
          .contains("{\"key\":\"" + VALUE + "\"}");
      int before = server.got.size();
      Answer large =
          client.call(
              "POST",
              url("/x"),
              List.of("content-type: application/json"),
              "{\"key\":\"" + "y".repeat(256 << 10) + "\"}");
      assertThat(large.status()).isEqualTo(413);
      assertThat(server.got).hasSize(before);
    }
  }

  @Test
  void trailers_pass_and_are_masked_too() throws Exception {
    try (H2Client client = client()) {
      Answer answer =
          client.call(
              "POST", url("/grpc"), List.of(bearer(), "te: trailers"), "\u0000\u0000\u0000hello");
      assertThat(answer.trailers().get("grpc-status")).isEqualTo("0");
      assertThat(answer.trailers().get("grpc-message")).isEqualTo("for Bearer " + box.placeholder);
      assertThat(server.got.getLast()).contains("te: trailers").contains("Bearer " + VALUE);
    }
  }

  @Test
  void events_arrive_before_the_stream_ends() throws Exception {
    try (H2Client client = client()) {
      int stream = client.open("GET", url("/events"), HttpFields.EMPTY, true);
      assertThat(client.hear("data").data()).isEqualTo("data: first\n\n");
      server.second.countDown();
      assertThat(client.answer(stream).body()).isEqualTo("data: second\n\n");
    }
  }

  @Test
  void many_streams_share_one_connection_to_the_server() throws Exception {
    try (H2Client client = client()) {
      for (int i = 0; i < 100; i++) {
        client.open("GET", url("/" + i), HttpFields.EMPTY, true);
      }
      for (int last = 0; last < 100; ) {
        H2Client.Heard one = client.hear();
        assertThat(one.what()).isIn("headers", "data");
        last += one.last() ? 1 : 0;
      }
      assertThat(server.got).hasSize(100);
      assertThat(server.connections()).isOne();
    }
  }

  @Test
  void rules_hold_for_each_stream() throws Exception {
    NetworkRule reads = NetworkRule.of("api.test").withRequests(Set.of("GET"), List.of("/v1/*"));
    box.inside.network.change(NetworkPolicy.NOTHING.alsoAllowing(reads));
    try (H2Client client = client()) {
      assertThat(client.call("GET", url("/v1/x"), List.of(), "").status()).isEqualTo(200);
      Answer denied = client.call("GET", url("/v2"), List.of(), "");
      assertThat(denied.status()).isEqualTo(403);
      assertThat(denied.body()).contains("cove network allow");
      assertThat(client.call("DELETE", url("/v1/x"), List.of(), "").status()).isEqualTo(403);
      assertThat(client.call("GET", url("/v1/y"), List.of(), "").status()).isEqualTo(200);
    }
    assertThat(server.got).hasSize(2);
  }

  @Test
  void another_authority_or_host_is_refused() throws Exception {
    try (H2Client client = client()) {
      assertThat(client.call("GET", "https://evil.test/", List.of(bearer()), "").status())
          .isEqualTo(421);
      assertThat(client.call("GET", url("/"), List.of(bearer(), "host: evil.test"), "").status())
          .isIn(421, -1);
      assertThat(client.call("GET", "http://api.test/", List.of(bearer()), "").status())
          .isEqualTo(421);
      assertThat(client.call("GET", url("/"), List.of(), "").status()).isEqualTo(200);
    }
    assertThat(server.got).hasSize(1);
  }

  @Test
  void fields_that_another_version_could_read_otherwise_are_refused() throws Exception {
    try (H2Client client = client()) {
      int stream = 1;
      for (String field :
          List.of(
              "transfer-encoding: chunked",
              "connection: close",
              "x-a: b\r\nx-c: d",
              "x-a\r\nx-b: c",
              "X-Upper: case")) {
        client.raw(head(stream, field));
        assertThat(client.answer(stream).status()).as(field).isEqualTo(-1);
        stream += 2;
      }
    }
    assertThat(server.got).isEmpty();
    try (H2Client client = client()) {
      assertThat(client.call("POST", url("/"), List.of("content-length: 3"), "body").status())
          .isEqualTo(-1);
      assertThat(client.call("POST", url("/"), List.of("content-length: 5"), "body").status())
          .isEqualTo(-1);
    }
    isFine();
  }

  /** Written out, since no decent library would. */
  private static byte[] head(int stream, String field) {
    var block = new ByteArrayOutputStream();
    block.writeBytes(new byte[] {(byte) 0x82, (byte) 0x87, (byte) 0x84, 1});
    literal(block, "api.test");
    block.write(0);
    literal(block, field.substring(0, field.indexOf(": ")));
    literal(block, field.substring(field.indexOf(": ") + 2));
    var frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {0, 0, (byte) block.size(), 1, 5, 0, 0, 0, (byte) stream});
    frame.writeBytes(block.toByteArray());
    return frame.toByteArray();
  }

  private static void literal(ByteArrayOutputStream to, String text) {
    to.write(text.length());
    to.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void a_server_that_can_not_prove_who_it_is_gets_nothing() throws Exception {
    try (var bad = new H2Server(Authority.selfSigned("api.test"));
        var client = new H2Client(box.connect("api.test", bad.port(), "h2"))) {
      Answer answer = client.call("GET", url("/"), List.of(bearer()), "");
      assertThat(answer.status()).isEqualTo(421);
      Answer right =
          client.call("GET", "https://api.test:" + bad.port() + "/", List.of(bearer()), "");
      assertThat(right.status()).isEqualTo(502);
      assertThat(bad.got).isEmpty();
    }
  }

  @Test
  void a_server_of_http_1_is_spoken_to_in_http_1() throws Exception {
    try (var old = new ApiServer(box.authority.server("api.test"));
        SSLSocket socket = box.connect("api.test", old.port(), "h2", "http/1.1")) {
      assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
    }
  }

  @Test
  void a_large_answer_passes_and_is_never_held() throws Exception {
    long before = used();
    try (H2Client client = client()) {
      int down = client.open("GET", url("/big"), HttpFields.EMPTY, true);
      long all = 0;
      for (H2Client.Heard one = client.hear(); !one.last(); one = client.hear()) {
        all += one.data().length();
      }
      assertThat(down).isOne();
      assertThat(all).isGreaterThan(H2Server.BIG - (64 << 10));
    }
    assertThat(used() - before).isLessThan(32L << 20);
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void a_client_that_reads_nothing_holds_up_nobody_else() throws Exception {
    try (var slow = new H2Client(connect(), Map.of(SettingsFrame.INITIAL_WINDOW_SIZE, 0), false);
        H2Client other = client()) {
      for (int i = 0; i < 50; i++) {
        slow.open("GET", url("/big"), HttpFields.EMPTY, true);
      }
      slow.hear("headers");
      assertThat(other.call("GET", url("/"), List.of(bearer()), "").status()).isEqualTo(200);
    }
  }

  @Test
  void more_streams_than_are_let_be_are_turned_away_and_in_the_end_the_connection()
      throws Exception {
    try (var client =
        new H2Client(connect(), Map.of(SettingsFrame.INITIAL_WINDOW_SIZE, 0), false)) {
      floods(client, i -> client.open("GET", url("/big"), HttpFields.EMPTY, true));
    }
    isFine();
  }

  private interface Flooding {
    void send(int i) throws IOException;
  }

  /** Goes on until the gateway has had enough of it. */
  private static void floods(H2Client client, Flooding flooding) throws Exception {
    boolean cut = false;
    for (int i = 0; i < 100_000 && !cut; i++) {
      try {
        client.batch(i % 5_000 < 4_999);
        flooding.send(i);
      } catch (IOException e) {
        cut = true;
      }
    }
    H2Client.Heard one = client.hear();
    while (!one.what().startsWith("go away") && !one.what().equals("end")) {
      one = client.hear();
    }
  }

  private void isFine() throws Exception {
    try (H2Client client = client()) {
      assertThat(client.call("GET", url("/"), List.of(bearer()), "").status()).isEqualTo(200);
    }
  }

  @Test
  void a_flood_of_resets_ends_the_connection() throws Exception {
    try (H2Client client = client()) {
      floods(
          client,
          _ -> {
            int stream = client.open("GET", url("/"), HttpFields.EMPTY, true);
            client.send(new ResetFrame(stream, 8));
          });
    }
    isFine();
  }

  @Test
  void a_flood_of_pings_ends_the_connection() throws Exception {
    try (H2Client client = client()) {
      floods(client, _ -> client.send(new PingFrame(7, false)));
    }
    isFine();
  }

  @Test
  void a_flood_of_settings_ends_the_connection() throws Exception {
    try (H2Client client = client()) {
      floods(client, _ -> client.send(new SettingsFrame(Map.of(), false)));
    }
    isFine();
  }

  @Test
  void a_head_without_an_end_ends_the_connection() throws Exception {
    try (H2Client client = client()) {
      var first = new ByteArrayOutputStream();
      first.writeBytes(new byte[] {0, 0, 1, 1, 0, 0, 0, 0, 1, (byte) 0x82});
      client.raw(first.toByteArray());
      floods(client, _ -> client.raw(new byte[] {0, 0, 1, 9, 0, 0, 0, 0, 1, (byte) 0x84}));
    }
    isFine();
  }

  @Test
  void a_head_has_up_to_some_60_kib() throws Exception {
    box.vault.set(Inspected.TOKEN, "s".repeat(6_000).getBytes(StandardCharsets.US_ASCII));
    try (H2Client client = client()) {
      client.heads(1 << 20);
      List<String> large = List.of(bearer(), "x-long: " + "y".repeat(20_000));
      assertThat(client.call("GET", url("/"), large, "").status()).isEqualTo(200);
      assertThat(server.got.getLast()).contains("Bearer sss").contains("yyyy");
      server.got.clear();
      var fields = HttpFields.build();
      for (int i = 0; i < 200; i++) {
        fields.add("x-large", "y".repeat(2_000));
      }
      client.send(new HeadersFrame(3, H2Client.request("GET", url("/"), fields), null, true));
      assertThat(client.answer(3).status()).isEqualTo(-1);
    }
    assertThat(server.got).isEmpty();
    isFine();
  }
}
