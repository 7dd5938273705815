package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Secrets over HTTP: they go in, and only their names come out. */
class SecretApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();

  private static final String ALL = "/api/v1/secrets";
  private static final String VALUE = "sk-live-0123456789";
  private static final String BINDING =
      "{\"secret\":\"API_KEY\",\"hosts\":[\"api.example.com\"],\"place\":\"bearer\"}";

  @AfterEach
  void forgetAll() {
    for (JsonNode secret : EDGE.get(ALL).json().get("items")) {
      EDGE.delete(ALL + "/" + secret.get("name").asString());
    }
  }

  private static Answer set(String name, String value) {
    return EDGE.put(ALL + "/" + name, value.getBytes(StandardCharsets.UTF_8));
  }

  private static Answer bind(String box, String... bindings) {
    String body = "{\"items\":[" + String.join(",", bindings) + "]}";
    return EDGE.send(
        "/api/v1/sandboxes/" + box + "/secrets",
        request ->
            request.header("Content-Type", "application/json").PUT(BodyPublishers.ofString(body)));
  }

  private static String printed(String box, String name, String more) {
    return EDGE.exec(box, "{\"command\":[\"printenv\",\"" + name + "\"]" + more + "}")
        .json()
        .get("stdout")
        .asString()
        .strip();
  }

  @Test
  void a_secret_is_set_listed_given_a_new_value_and_forgotten() {
    Answer made = set("API_KEY", VALUE);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(made.text()).doesNotContain(VALUE);
    assertThat(set("API_KEY", VALUE + "-2").status()).isEqualTo(200);
    set("OTHER", VALUE);
    Answer list = EDGE.get(ALL);
    assertThat(list.json().get("items").valueStream().map(item -> item.get("name").asString()))
        .containsExactly("API_KEY", "OTHER");
    assertThat(list.text()).doesNotContain("sk-live");
    assertThat(EDGE.delete(ALL + "/API_KEY").status()).isEqualTo(204);
    assertThat(EDGE.delete(ALL + "/API_KEY").code()).isEqualTo("not_found");
    assertThat(EDGE.get(ALL).json().get("items")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "seven77", "with\nline-end", "with\rreturn-in", "nul\0inside-it", "pässwörd-"})
  void a_value_that_no_header_could_carry_is_refused_and_not_repeated(String value) {
    Answer refused = set("API_KEY", value);
    assertThat(refused.status()).isEqualTo(400);
    if (!value.isEmpty()) {
      assertThat(refused.text()).doesNotContain(value);
    }
    assertThat(EDGE.get(ALL).json().get("items")).isEmpty();
  }

  @Test
  void a_value_has_at_most_64_kib() {
    assertThat(set("API_KEY", "k".repeat(64 << 10)).status()).isEqualTo(201);
    assertThat(set("API_KEY", "k".repeat((64 << 10) + 1)).code()).isEqualTo("too_large");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lower", "1KEY", "A-B", "A%2F..%2FB", "%C3%84", "_A"})
  void a_name_that_is_none_is_refused(String name) {
    assertThat(set(name, VALUE).code()).isEqualTo("invalid_request");
    assertThat(EDGE.delete(ALL + "/" + name).code()).isEqualTo("invalid_request");
  }

  @Test
  void bindings_are_shown_as_they_were_given() {
    set("API_KEY", VALUE);
    String box = EDGE.create();
    String full =
        "{\"secret\":\"API_KEY\",\"hosts\":[\"*.example.com:8443\",\"a.example\"],"
            + "\"place\":\"header\",\"name\":\"X-Key\",\"methods\":[\"GET\"],\"paths\":[\"/v1/*\"],"
            + "\"added\":true,\"plainHttp\":true,\"env\":\"KEY\"}";
    Answer bound = bind(box, full);
    assertThat(bound.status()).as(bound.toString()).isEqualTo(200);
    assertThat(bound.text()).isEqualTo("{\"items\":[" + full + "]}");
    assertThat(EDGE.get("/api/v1/sandboxes/" + box + "/secrets").text()).isEqualTo(bound.text());
    assertThat(bind(box).json().get("items")).isEmpty();
    EDGE.delete("/api/v1/sandboxes/" + box);
  }

  @Test
  void commands_find_a_placeholder_which_only_they_themselves_say_otherwise() {
    set("API_KEY", VALUE);
    String box = EDGE.create("{\"env\":{\"PLAIN\":\"1\"},\"secrets\":[" + BINDING + "]}");
    String placeholder = printed(box, "API_KEY", "");
    assertThat(placeholder).startsWith("coveplaceholder").doesNotContain("sk-");
    assertThat(printed(box, "PLAIN", "")).isEqualTo("1");
    assertThat(printed(box, "NODE_EXTRA_CA_CERTS", "")).endsWith(".crt");
    assertThat(printed(box, "API_KEY", ",\"env\":{\"API_KEY\":\"mine\"}")).isEqualTo("mine");
    bind(box, BINDING.replace("}", ",\"env\":\"PLAIN\"}"));
    assertThat(printed(box, "API_KEY", "")).isEmpty();
    assertThat(printed(box, "PLAIN", ""))
        .as("a binding goes before what the sandbox said")
        .isEqualTo(placeholder);
    bind(box);
    assertThat(printed(box, "PLAIN", "")).isEqualTo("1");
    assertThat(printed(box, "NODE_EXTRA_CA_CERTS", "")).isEmpty();
    EDGE.delete("/api/v1/sandboxes/" + box);
  }

  @Test
  void a_change_of_what_may_be_reached_keeps_the_bindings() {
    set("API_KEY", VALUE);
    String box = EDGE.create("{\"secrets\":[" + BINDING + "]}");
    String at = "/api/v1/sandboxes/" + box;
    Answer changed =
        EDGE.send(
            at + "/network",
            request ->
                request
                    .header("Content-Type", "application/json")
                    .PUT(BodyPublishers.ofString("{\"default\":\"allow\"}")));
    assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
    assertThat(EDGE.get(at + "/secrets").json().get("items")).hasSize(1);
    EDGE.delete(at);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "secret":"UNKNOWN","hosts":["a.example"],"place":"bearer"                | There is no secret UNKNOWN
          "hosts":["a.example"],"place":"bearer"                                   | secret is missing
          "secret":"API_KEY","place":"bearer"                                      | hosts is missing
          "secret":"API_KEY","hosts":[],"place":"bearer"                           | 1 to
          "secret":"API_KEY","hosts":["*"],"place":"bearer"                        | not to *
          "secret":"API_KEY","hosts":["*.com"],"place":"bearer"                    | not to *.com
          "secret":"API_KEY","hosts":["10.0.0.0/8"],"place":"bearer"               | not to
          "secret":"API_KEY","hosts":["a.example"]                                 | place is missing
          "secret":"API_KEY","hosts":["a.example"],"place":"cookie"                | place must be
          "secret":"API_KEY","hosts":["a.example"],"place":"header"                | name is missing
          "secret":"API_KEY","hosts":["a.example"],"place":"header","name":"Host"  | Host can not hold a secret
          "secret":"API_KEY","hosts":["a.example"],"place":"bearer","name":"X"     | name says nothing
          "secret":"API_KEY","hosts":["a.example"],"place":"query","name":"k","user":"u" | user says nothing
          "secret":"API_KEY","hosts":["a.example"],"place":"bearer","env":"1X"     | letters, digits
          "secret":"API_KEY","hosts":["a.example"],"place":"bearer","env":"COVE_X" | Cove's own
          """)
  void a_binding_that_makes_no_sense_is_refused_with_a_reason(String fields, String reason) {
    set("API_KEY", VALUE);
    String box = EDGE.create();
    Answer refused = bind(box, "{" + fields + "}");
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.detail()).contains(reason);
    Answer create = EDGE.post("/api/v1/sandboxes", "{\"secrets\":[{" + fields + "}]}");
    assertThat(create.status()).as(create.toString()).isEqualTo(400);
    assertThat(EDGE.get("/api/v1/sandboxes/" + box + "/secrets").json().get("items")).isEmpty();
    EDGE.delete("/api/v1/sandboxes/" + box);
    assertThat(EDGE.get("/api/v1/sandboxes").json().get("items")).isEmpty();
  }

  @Test
  void a_sandbox_has_at_most_32_bindings() {
    set("API_KEY", VALUE);
    String box = EDGE.create();
    String[] most = Collections.nCopies(32, BINDING).toArray(String[]::new);
    assertThat(bind(box, most).json().get("items")).hasSize(32);
    String[] more = Collections.nCopies(33, BINDING).toArray(String[]::new);
    assertThat(bind(box, more).detail()).contains("at most 32");
    assertThat(EDGE.get("/api/v1/sandboxes/" + box + "/secrets").json().get("items")).hasSize(32);
    EDGE.delete("/api/v1/sandboxes/" + box);
  }
}
