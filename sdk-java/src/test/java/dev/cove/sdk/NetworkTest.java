package dev.cove.sdk;

import static dev.cove.sdk.CannedAnswers.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.transport.ScriptedServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a sandbox may reach and with which secrets, as values and as requests. */
@Timeout(30)
class NetworkTest {
  private static final String AT = "/api/v1/sandboxes/abc";
  private static final String BOX =
      """
      {"id":"abc","name":"n","project":"p","state":"running","template":"host",\
      "tier":"container","cpus":1,\
      "memoryMb":64,"diskMb":128,"maxProcesses":32,"labels":{},\
      "createdAt":"2026-11-16T03:00:00Z","life":{}}\
      """;
  private static final String NETWORK =
      """
      {"default":"ask","presets":["git"],"allow":["api.example.com:443 GET /v1/*"],\
      "deny":["*.example.org"],"attended":true}\
      """;
  private static final String ENTRY =
      """
      {"time":"2026-11-16T03:00:00Z","destination":"example.com:443","dialled":"192.0.2.1",\
      "outcome":"allowed","rule":"allow example.com","count":3,"sentBytes":5000000000,\
      "receivedBytes":7,"durationMs":1500}\
      """;
  private static final String QUESTION =
      """
      {"id":"q1","destination":"example.net:80","since":"2026-11-16T03:00:00Z","waiting":2}\
      """;
  private static final String BINDING =
      """
      {"secret":"TOKEN","hosts":["a.example"],"place":"header","name":"X-Key","methods":["GET"],\
      "paths":["/v1/*"],"added":true,"plainHttp":true,"env":"KEY"}\
      """;
  private static final String SECRET =
      """
      {"name":"TOKEN","createdAt":"2026-11-16T03:00:00Z","updatedAt":"2026-11-16T04:00:00Z"}\
      """;

  private final List<String> requests = new CopyOnWriteArrayList<>();

  private ScriptedServer answering(String... answers) throws IOException {
    return CannedAnswers.serve(requests, answers);
  }

  private static String items(String item) {
    return json(200, "{\"items\":[" + item + "]}");
  }

  private static Cove connect(ScriptedServer server) {
    return Cove.connect(server.url(), "cove_key");
  }

  private static String created(CreateOptions options) {
    return Json.writeText(options.toJson());
  }

  @Test
  void a_network_is_read_and_written_and_added_to() throws IOException {
    String answer = json(200, NETWORK);
    try (var server = answering(json(200, BOX), answer, answer, answer, answer);
        var cove = connect(server)) {
      Sandbox box = cove.sandboxes().require("abc");
      Network network = box.network();
      assertThat(network)
          .isEqualTo(
              Network.asking()
                  .preset("git")
                  .allow("api.example.com:443 GET /v1/*")
                  .deny("*.example.org")
                  .attended(true));
      assertThat(network.toJson()).isEqualTo(NETWORK);
      assertThat(box.setNetwork(network)).isEqualTo(network);
      assertThat(box.allow("a.example", "b.example:80-90")).isEqualTo(network);
      assertThat(box.deny("c.example")).isEqualTo(network);
      assertThat(requests.subList(1, 5))
          .containsExactly(
              "GET " + AT + "/network",
              "PUT " + AT + "/network " + NETWORK,
              "POST " + AT + "/network/rules {\"allow\":[\"a.example\",\"b.example:80-90\"]}",
              "POST " + AT + "/network/rules {\"deny\":[\"c.example\"]}");
    }
  }

  @Test
  void a_rule_is_either_a_permission_or_a_denial_and_is_there_once() {
    Network network = Network.denying().allow("a").allow("b").allow("a").deny("a");
    assertThat(network.allow()).containsExactly("b");
    assertThat(network.deny()).containsExactly("a");
    assertThat(network.allow("a").deny()).isEmpty();
    assertThat(network.preset("git").preset("git").presets()).containsExactly("git");
    assertThat(network.withFallback("allow").deny()).containsExactly("a");
    assertThat(network.withFallback("allow").fallback()).isEqualTo(Network.allowing().fallback());
  }

  @Test
  void what_a_sandbox_wanted_to_reach_can_be_read() throws IOException {
    try (var server = answering(json(200, BOX), items(ENTRY));
        var cove = connect(server)) {
      List<NetworkLogEntry> log = cove.sandboxes().require("abc").networkLog(20);
      assertThat(log)
          .containsExactly(
              new NetworkLogEntry(
                  Instant.parse("2026-11-16T03:00:00Z"),
                  "example.com:443",
                  "192.0.2.1",
                  "allowed",
                  "allow example.com",
                  3,
                  5_000_000_000L,
                  7,
                  Duration.ofMillis(1_500)));
      assertThat(log.getFirst().toJson()).isEqualTo(ENTRY);
      assertThat(requests.getLast()).isEqualTo("GET " + AT + "/network/log?limit=20");
    }
  }

  @Test
  void an_explanation_has_a_remedy_where_there_is_one() throws IOException {
    String denied =
        """
        {"destination":"[2001:db8::1]:443","outcome":"denied","rule":"default deny",\
        "remedy":"[2001:db8::1]:443"}\
        """;
    String allowed =
        "{\"destination\":\"a:443\",\"outcome\":\"allowed\",\"rule\":\"default allow\"}";
    try (var server = answering(json(200, BOX), json(200, denied), json(200, allowed));
        var cove = connect(server)) {
      Sandbox box = cove.sandboxes().require("abc");
      NetworkExplanation no = box.explain("[2001:db8::1]:443");
      assertThat(no.connects()).isFalse();
      assertThat(no.remedy()).contains("[2001:db8::1]:443");
      assertThat(no.toJson()).isEqualTo(denied);
      assertThat(requests.getLast())
          .isEqualTo("GET " + AT + "/network/explain?destination=%5B2001%3Adb8%3A%3A1%5D%3A443");
      NetworkExplanation yes = box.explain("a:443");
      assertThat(yes.connects()).isTrue();
      assertThat(yes.remedy()).isEmpty();
      assertThat(yes.toJson()).isEqualTo(allowed);
    }
  }

  @Test
  void a_question_is_answered_while_it_is_open() throws IOException {
    String gone = "{\"status\":404,\"code\":\"not_found\",\"detail\":\"It is not open.\"}";
    try (var server = answering(json(200, BOX), items(QUESTION), json(204, ""), json(404, gone));
        var cove = connect(server)) {
      Sandbox box = cove.sandboxes().require("abc");
      NetworkQuestion question = box.networkQuestions().getFirst();
      assertThat(question.waiting()).isEqualTo(2);
      assertThat(question.toJson()).isEqualTo(QUESTION);
      box.answer(question.id(), NetworkAnswer.SESSION);
      assertThat(requests.getLast())
          .isEqualTo("POST " + AT + "/network/questions/q1 {\"answer\":\"session\"}");
      assertThatThrownBy(() -> box.answer("q1", NetworkAnswer.NO))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.code()).isEqualTo("not_found"));
    }
  }

  @Test
  void a_secrets_value_goes_as_bytes_and_is_in_no_text() throws IOException {
    try (var server =
            answering(json(201, SECRET), json(200, SECRET), items(SECRET), json(204, ""));
        var cove = connect(server)) {
      Secrets.SecretInfo set = cove.secrets().set("TOKEN", "pässword");
      assertThat(set.toJson()).isEqualTo(SECRET);
      assertThat(set).asString().doesNotContain("ssword");
      cove.secrets().set("A/B", new byte[] {'x'});
      assertThat(cove.secrets().list()).containsExactly(set);
      cove.secrets().delete("TOKEN");
      assertThat(requests)
          .containsExactly(
              "PUT /api/v1/secrets/TOKEN bytes pässword",
              "PUT /api/v1/secrets/A%2FB bytes x",
              "GET /api/v1/secrets",
              "DELETE /api/v1/secrets/TOKEN");
    }
  }

  @Test
  void a_failure_to_set_a_secret_does_not_tell_it() throws IOException {
    String refusal = "{\"status\":413,\"code\":\"too_large\",\"detail\":\"At most 64 KiB.\"}";
    try (var server = answering(json(413, refusal), json(200, "hello"));
        var cove = connect(server)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> cove.secrets().set("TOKEN", "hunter2"))
            .isInstanceOf(CoveException.class)
            .hasMessageNotContaining("hunter2")
            .hasStackTraceContaining("Secrets.set")
            .satisfies(e -> assertThat(String.valueOf(e.getCause())).doesNotContain("hunter2"));
      }
    }
  }

  @Test
  void secrets_are_bound_to_a_sandbox_and_read_back() throws IOException {
    try (var server = answering(json(200, BOX), items(BINDING), items(BINDING));
        var cove = connect(server)) {
      Sandbox box = cove.sandboxes().require("abc");
      SecretBinding binding =
          SecretBinding.header("TOKEN", "X-Key", "a.example")
              .methods("GET")
              .paths("/v1/*")
              .added()
              .overPlainHttp()
              .env("KEY");
      assertThat(box.secrets()).containsExactly(binding);
      assertThat(binding.toJson()).isEqualTo(BINDING);
      assertThat(box.setSecrets(List.of(binding))).containsExactly(binding);
      assertThat(requests.getLast())
          .isEqualTo("PUT " + AT + "/secrets {\"items\":[" + BINDING + "]}");
    }
  }

  @Test
  void every_place_of_a_secret_says_what_it_needs() {
    SecretBinding basic = SecretBinding.basic("S", "me", "a", "b");
    assertThat(basic.place()).isEqualTo("basic");
    assertThat(basic.user()).contains("me");
    assertThat(basic.hosts()).containsExactly("a", "b");
    assertThat(SecretBinding.bearer("S", "a").name()).isEqualTo(Optional.empty());
    assertThat(SecretBinding.query("S", "key", "a").name()).contains("key");
    assertThat(SecretBinding.body("S", "field", "a").toJson())
        .isEqualTo(
            "{\"secret\":\"S\",\"hosts\":[\"a\"],\"place\":\"body\",\"name\":\"field\","
                + "\"methods\":[],\"paths\":[],\"added\":false,\"plainHttp\":false}");
    assertThat(basic.withHosts(List.of("c")).hosts()).containsExactly("c");
  }

  @Test
  void a_sandbox_can_be_asked_for_with_a_network_and_secrets() {
    String binding =
        "\"place\":\"bearer\",\"methods\":[],\"paths\":[],\"added\":false,\"plainHttp\":false}";
    assertThat(
            created(
                CreateOptions.defaults()
                    .network(Network.denying().preset("llm"))
                    .secret(SecretBinding.bearer("A", "a"))
                    .secret(SecretBinding.bearer("B", "b"))))
        .isEqualTo(
            "{\"network\":{\"default\":\"deny\",\"presets\":[\"llm\"],\"allow\":[],\"deny\":[],"
                + "\"attended\":false},\"secrets\":[{\"secret\":\"A\",\"hosts\":[\"a\"],"
                + binding
                + ",{\"secret\":\"B\",\"hosts\":[\"b\"],"
                + binding
                + "]}");
  }

  @Test
  void limits_are_said_only_where_they_are_set() throws IOException {
    Network limited =
        Network.denying()
            .limits(
                NetworkLimits.usual()
                    .connections(5)
                    .newConnectionsPerSecond(6)
                    .nameQueriesPerSecond(7)
                    .bytesPerHour(8_000_000_000L));
    String text =
        "{\"default\":\"deny\",\"presets\":[],\"allow\":[],\"deny\":[],\"attended\":false,"
            + "\"limits\":{\"connections\":5,\"newConnectionsPerSecond\":6,"
            + "\"nameQueriesPerSecond\":7,\"bytesPerHour\":8000000000}}";
    assertThat(limited.toJson()).isEqualTo(text);
    try (var server = answering(json(200, BOX), json(200, text));
        var cove = connect(server)) {
      assertThat(cove.sandboxes().require("abc").network()).isEqualTo(limited);
    }
  }

  @Test
  void a_sandbox_joins_a_group_and_leaves_it() throws IOException {
    String group =
        """
        {"name":"shop","ports":["5432"],"members":[{"id":"abc","name":"db",\
        "hosts":["db","db.internal"],"ports":["5432"]}]}\
        """;
    String grouped = BOX.replace("Z\",", "Z\",\"group\":\"shop\",");
    try (var server =
            answering(
                json(200, BOX),
                json(200, group),
                json(200, grouped),
                json(200, group),
                json(204, ""),
                json(200, BOX));
        var cove = connect(server)) {
      Sandbox box = cove.sandboxes().require("abc");
      SandboxGroup joined = box.joinGroup("shop", "5432");
      assertThat(joined.toJson()).isEqualTo(group);
      assertThat(joined.members().getFirst().hosts()).containsExactly("db", "db.internal");
      assertThat(box.group()).contains(joined);
      box.leaveGroup();
      assertThat(box.group()).isEmpty();
      assertThat(requests.subList(1, 6))
          .containsExactly(
              "PUT " + AT + "/group {\"name\":\"shop\",\"ports\":[\"5432\"]}",
              "GET " + AT,
              "GET " + AT + "/group",
              "DELETE " + AT + "/group",
              "GET " + AT);
      byte[] described = grouped.getBytes(StandardCharsets.UTF_8);
      assertThat(SandboxInfo.of(Json.parseObject(described)).toJson()).isEqualTo(grouped);
    }
  }

  @Test
  void a_sandbox_can_be_asked_for_in_a_group() {
    assertThat(created(CreateOptions.defaults().group("shop").groupPorts("80", "90-99")))
        .isEqualTo("{\"group\":\"shop\",\"groupPorts\":[\"80\",\"90-99\"]}");
  }
}
