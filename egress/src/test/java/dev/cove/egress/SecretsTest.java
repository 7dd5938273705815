package dev.cove.egress;

import static dev.cove.egress.Inspected.VALUE;
import static dev.cove.egress.Inspected.added;
import static dev.cove.egress.Inspected.binding;
import static dev.cove.egress.Inspected.plain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.secret.SecretBinding;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets on their way out, and what comes back. */
class SecretsTest {
  @TempDir Path folder;
  private Inspected box;
  private ApiServer server;

  @BeforeEach
  void open() throws Exception {
    box = new Inspected(folder);
    server = new ApiServer(box.authority.server("api.test"));
  }

  @AfterEach
  void close() throws Exception {
    box.close();
    server.close();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void a_bearer_placeholder_goes_out_as_the_secret_and_comes_back_as_the_placeholder()
      throws Exception {
    box.bind(binding("bearer", "api.test"));
    String answer = box.call(server.port(), "GET /", "Authorization: Bearer " + box.placeholder);
    assertThat(server.got()).contains("Authorization: Bearer " + VALUE + "\r\n");
    assertThat(answer)
        .startsWith("HTTP/1.1 200 OK")
        .contains("Authorization: Bearer " + box.placeholder)
        .doesNotContain(VALUE);
  }

  @Test
  void basic_credentials_have_it_as_password_or_are_it() throws Exception {
    box.bind(binding("basic:git", "api.test"));
    for (String credentials :
        List.of(
            base64("anybody:" + box.placeholder), base64(box.placeholder + ":"), box.placeholder)) {
      String answer = box.call(server.port(), "GET /", "Authorization: Basic " + credentials);
      assertThat(answer)
          .contains("Authorization: Basic " + base64("git:" + box.placeholder))
          .doesNotContain(base64("git:" + VALUE));
    }
    assertThat(server.got().split("Authorization: Basic " + base64("git:" + VALUE), -1)).hasSize(4);
  }

  @Test
  void a_header_of_its_own_holds_it_also_behind_other_words() throws Exception {
    box.bind(binding("header:X-Api-Key", "api.test"), binding("header:Authorization", "api.test"));
    box.call(
        server.port(),
        "GET /",
        "x-api-key: " + box.placeholder,
        "Authorization: token " + box.placeholder);
    assertThat(server.got())
        .contains("x-api-key: " + VALUE + "\r\n")
        .contains("Authorization: token " + VALUE + "\r\n");
  }

  @Test
  void a_query_parameter_holds_it_escaped() throws Exception {
    box.vault.set(Inspected.TOKEN, "a&b=c d%+/?#".getBytes(StandardCharsets.US_ASCII));
    box.bind(binding("query:key", "api.test"));
    String answer = box.call(server.port(), "GET /x?q=1&key=" + box.placeholder + "&z");
    assertThat(server.got()).startsWith("GET /x?q=1&key=a%26b%3Dc%20d%25%2B%2F%3F%23&z HTTP/1.1");
    assertThat(answer).contains("/x?q=1&key=" + box.placeholder + "&z").doesNotContain("a%26b");
  }

  @Test
  void a_field_of_a_body_holds_it_in_json_and_in_forms() throws Exception {
    box.vault.set(Inspected.TOKEN, "quote\"and\\slash".getBytes(StandardCharsets.US_ASCII));
    box.bind(binding("body:key", "api.test"));
    String p = box.placeholder;
    box.call(
        server.port(),
        "POST /json",
        List.of("Content-Type: application/json; charset=utf-8"),
        "{\"in\": {\"key\": \"%s\"}, \"key\" : \"%s\", \"other\": \"%s\"}".formatted(p, p, p));
    assertThat(server.got())
        .contains(
            "{\"in\": {\"key\": \"%s\"}, \"key\" : \"quote\\\"and\\\\slash\", \"other\": \"%s\"}"
                .formatted(p, p));
    box.call(
        server.port(),
        "POST /form",
        List.of("Content-Type: application/x-www-form-urlencoded", "Expect: 100-continue"),
        "a=1&key=" + p);
    assertThat(server.got()).contains("a=1&key=quote%22and%5Cslash");
  }

  @Test
  void a_body_in_which_it_is_to_go_has_up_to_256_kib() throws Exception {
    box.bind(binding("body:key", "api.test"));
    List<String> json = List.of("Content-Type: application/json");
    String most = "{\"key\":\"" + box.placeholder + "\",\"x\":\"";
    String fits = most + "y".repeat((256 << 10) - most.length() - 2) + "\"}";
    assertThat(box.call(server.port(), "POST /", json, fits)).startsWith("HTTP/1.1 200");
    assertThat(server.got()).contains("{\"key\":\"" + VALUE);
    int before = server.got().length();
    assertThat(box.call(server.port(), "POST /", json, fits + " ")).startsWith("HTTP/1.1 413");
    assertThat(server.got()).hasSize(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bearer", "basic:git", "header:X-Key", "query:key"})
  void where_it_is_to_be_added_the_client_sends_nothing(String place) throws Exception {
    box.bind(added(binding(place, "api.test")));
    String answer = box.call(server.port(), "GET /x?a=1", "Accept: */*");
    assertThat(server.got()).containsAnyOf(VALUE, base64("git:" + VALUE));
    assertThat(answer)
        .startsWith("HTTP/1.1 200")
        .doesNotContain(VALUE)
        .doesNotContain(base64("git:" + VALUE));
  }

  @Test
  void what_the_client_sends_itself_is_not_replaced() throws Exception {
    box.bind(added(binding("bearer", "api.test")));
    box.call(server.port(), "GET /", "Authorization: Bearer own-token");
    assertThat(server.got()).contains("Bearer own-token").doesNotContain(VALUE);
  }

  @Test
  void a_new_value_goes_out_with_the_next_request_and_a_removed_one_no_more() throws Exception {
    box.bind(binding("bearer", "api.test"));
    String request =
        "GET / HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(box.placeholder);
    try (Socket socket = box.connect("api.test", server.port())) {
      Talk.say(socket, request);
      hearUntil(socket, "0\r\n\r\n");
      box.vault.set(Inspected.TOKEN, "another-value".getBytes(StandardCharsets.US_ASCII));
      Talk.say(socket, request);
      assertThat(hearUntil(socket, "0\r\n\r\n")).doesNotContain("another-value");
      box.vault.remove(Inspected.TOKEN);
      Talk.say(socket, request);
      hearUntil(socket, box.placeholder);
    }
    assertThat(server.got())
        .containsSubsequence(
            "Bearer " + VALUE, "Bearer another-value", "Bearer " + box.placeholder);
    assertThat(server.connections()).isOne();
  }

  private static String hearUntil(Socket socket, String end) throws Exception {
    var heard = new StringBuilder();
    while (heard.indexOf(end) < 0) {
      int c = socket.getInputStream().read();
      if (c < 0) {
        throw new AssertionError("It ended after " + heard);
      }
      heard.append((char) c);
    }
    return heard.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/gzip", "/chunks", "/bytes", "/until-end", "/field"})
  void it_never_comes_back_however_the_answer_is_sent(String path) throws Exception {
    box.bind(binding("bearer", "api.test"));
    String answer =
        box.call(
            server.port(),
            "GET " + path,
            "Authorization: Bearer " + box.placeholder,
            "Accept-Encoding: gzip, br");
    assertThat(server.got())
        .contains("Authorization: Bearer " + VALUE)
        .contains("Accept-Encoding: gzip\r\n");
    assertThat(answer).contains("Bearer " + box.placeholder).doesNotContain(VALUE);
  }

  @Test
  void an_answer_into_which_one_can_not_look_is_not_passed_on() throws Exception {
    box.bind(binding("bearer", "api.test"));
    for (String path : List.of("/brotli", "/part")) {
      String answer = box.call(server.port(), "GET " + path, "Accept-Encoding: br");
      assertThat(answer)
          .startsWith("HTTP/1.1 502 Bad Gateway")
          .contains("A secret is bound to this host")
          .contains(path.equals("/brotli") ? "content coding" : "part of something compressed")
          .doesNotContain("abcd");
    }
    assertThat(server.got()).contains("Accept-Encoding: identity");
  }

  @Test
  void an_old_client_gets_an_answer_that_ends_with_its_connection() throws Exception {
    box.bind(added(binding("bearer", "api.test")));
    String answer =
        Talk.answer(
            box.connect("api.test", server.port()), "GET / HTTP/1.0\r\nHost: api.test\r\n\r\n");
    assertThat(answer)
        .contains("Connection: close")
        .doesNotContain("chunked")
        .doesNotContain(VALUE)
        .contains("Bearer " + box.placeholder);
  }

  @Test
  void in_any_other_place_the_placeholder_goes_out_as_it_is() throws Exception {
    box.bind(binding("header:X-Key", "api.test"));
    String p = box.placeholder;
    box.call(
        server.port(),
        "POST /" + p + "?key=" + p,
        List.of("Authorization: Bearer " + p, "Cookie: " + p, "Content-Type: application/json"),
        "{\"key\":\"" + p + "\"}");
    assertThat(server.got().split(p, -1)).hasSize(6);
    assertThat(server.got()).doesNotContain(VALUE);
  }

  @Test
  void a_placeholder_may_come_in_pieces_and_in_another_coding_is_only_a_word() throws Exception {
    box.bind(binding("bearer", "api.test"), binding("body:key", "api.test"));
    String head = "POST / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n";
    String chunks = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    var body = new StringBuilder();
    for (char each : ("{\"key\":\"" + box.placeholder + "\"}").toCharArray()) {
      body.append("1\r\n").append(each).append("\r\n");
    }
    try (Socket socket = box.connect("api.test", server.port())) {
      String bearer = "Authorization: Bearer " + box.placeholder + "\r\n";
      for (char each : (head + bearer + chunks + body + "0\r\n\r\n").toCharArray()) {
        Talk.say(socket, String.valueOf(each));
      }
      assertThat(Talk.hearAll(socket)).startsWith("HTTP/1.1 200").doesNotContain(VALUE);
    }
    assertThat(server.got()).contains("Bearer " + VALUE).contains("{\"key\":\"" + VALUE + "\"}");

    int before = server.got().length();
    byte[] bytes = box.placeholder.getBytes(StandardCharsets.US_ASCII);
    for (String spelled :
        List.of(
            Base64.getEncoder().encodeToString(bytes),
            HexFormat.of().formatHex(bytes),
            box.placeholder.replace("c", "%63"),
            box.placeholder.toUpperCase(Locale.ROOT),
            box.placeholder.substring(1),
            box.placeholder + "x",
            box.placeholder + ", Bearer " + box.placeholder)) {
      box.call(server.port(), "GET /", "Authorization: Bearer " + spelled);
    }
    assertThat(server.got().substring(before)).contains("Bearer ").doesNotContain(VALUE);
  }

  @Test
  void another_host_gets_the_placeholder_whatever_the_request_says() throws Exception {
    box.bind(binding("bearer", "api.test"));
    try (var evil = new ApiServer(box.authority.server("evil.test"))) {
      String request =
          "GET / HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n";
      var world = Authority.trusting(box.authority.certificate);
      try (Socket plain = box.inside.connect("evil.test", evil.port());
          Socket socket =
              world.getSocketFactory().createSocket(plain, "evil.test", evil.port(), true)) {
        Talk.say(socket, request.formatted("api.test", box.placeholder));
        assertThat(Talk.hearAll(socket)).contains(box.placeholder);
      }
      assertThat(
              Talk.answer(
                  box.connect("api.test", server.port()),
                  request.formatted("evil.test", box.placeholder)))
          .startsWith("HTTP/1.1 421");
      assertThat(evil.got()).contains(box.placeholder).doesNotContain(VALUE);
      assertThat(server.got()).isEmpty();
    }
  }

  @Test
  void methods_and_paths_of_a_binding_are_held_to() throws Exception {
    SecretBinding all = binding("bearer", "api.test");
    box.bind(
        new SecretBinding(
            all.secret(),
            all.hosts(),
            all.place(),
            Set.of("GET"),
            List.of("/v1/*"),
            false,
            false,
            ""));
    String field = "Authorization: Bearer " + box.placeholder;
    box.call(server.port(), "POST /v1/x", field);
    box.call(server.port(), "GET /v2", field);
    box.call(server.port(), "GET /v1/../v2", field);
    assertThat(server.got()).contains("GET /v1/../v2").doesNotContain(VALUE);
    box.call(server.port(), "GET /v1/x", field);
    assertThat(server.got()).contains(VALUE);
  }

  @Test
  void without_tls_it_goes_out_only_where_the_binding_says_so() throws Exception {
    try (var open = new ApiServer()) {
      String request =
          "GET / HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
              .formatted(box.placeholder);
      box.bind(binding("bearer", "api.test"));
      assertThat(Talk.answer(box.inside.connect("api.test", open.port()), request))
          .contains("200 OK");
      assertThat(open.got()).contains(box.placeholder).doesNotContain(VALUE);
      box.bind(plain(binding("bearer", "api.test")));
      assertThat(Talk.answer(box.inside.connect("api.test", open.port()), request))
          .contains(box.placeholder)
          .doesNotContain(VALUE);
      assertThat(open.got()).contains(VALUE);
    }
  }

  @Test
  void a_proxy_leads_to_the_same() throws Exception {
    box.bind(binding("bearer", "api.test"));
    Socket proxy = box.inside.proxy();
    Talk.say(proxy, "CONNECT api.test:%d HTTP/1.1\r\n\r\n".formatted(server.port()));
    assertThat(Talk.hear(proxy, 39)).startsWith("HTTP/1.1 200");
    String answer =
        Talk.answer(
            box.over(proxy, "api.test", server.port()),
            "GET / HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
                .formatted(box.placeholder));
    assertThat(answer).contains(box.placeholder).doesNotContain(VALUE);
    assertThat(server.got()).contains(VALUE);
  }
}
