package dev.cove.cli;

import static dev.cove.cli.CannedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.cli.CannedServer.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The verbs of networks against a server that answers what a test wants. */
@Timeout(60)
class NetworkVerbsTest {
  private static final String AT = "/api/v1/sandboxes/abc/network";
  static final Reply BOX =
      json(
          200,
          """
          {"id":"abc","name":"box","state":"running","template":"host","tier":"container",\
          "cpus":1,"memoryMb":64,"diskMb":128,"maxProcesses":32,"labels":{},\
          "createdAt":"2026-11-16T03:00:00Z"}\
          """);
  private static final Reply GONE =
      json(404, "{\"status\":404,\"code\":\"not_found\",\"detail\":\"There is no sandbox box\"}");
  private static final String NETWORK =
      """
      {"default":"deny","presets":["git"],"allow":["a.example GET /v1/*"],"deny":["b.example"],\
      "attended":false}\
      """;
  private static final String ASKING =
      "{\"default\":\"ask\",\"presets\":[],\"allow\":[],\"deny\":[],\"attended\":true}";
  private static final String SHOWN =
      """
      default   deny
      attended  no
      preset    git
      allow     a.example GET /v1/*
      deny      b.example
      """;
  private static final Reply NOTHING = json(204, "");

  private final CannedServer server = new CannedServer();

  @AfterEach
  void stop() {
    server.close();
  }

  private CommandRun cove(String... args) {
    return CommandRun.of(server.environment(), args);
  }

  private String body(int request) {
    return new String(server.body(request), StandardCharsets.UTF_8);
  }

  private static String entry(String destination, int count) {
    return """
    {"time":"2026-11-16T03:00:00Z","destination":"%s","dialled":"","outcome":"denied",\
    "rule":"default deny","count":%d,"sentBytes":0,"receivedBytes":2048,"durationMs":3}\
    """
        .formatted(destination, count);
  }

  private static Reply items(String... items) {
    return json(200, "{\"items\":[" + String.join(",", items) + "]}");
  }

  private static String question(String id, String destination) {
    return """
    {"id":"%s","destination":"%s","since":"2026-11-16T03:00:00Z","waiting":2}\
    """
        .formatted(id, destination);
  }

  @Test
  void what_a_sandbox_may_reach_is_shown_line_by_line_or_as_json() {
    server.answer(BOX, json(200, NETWORK), BOX, json(200, NETWORK));
    assertThat(cove("network", "show", "box").out()).isEqualTo(SHOWN);
    assertThat(cove("network", "show", "--json", "box").out()).isEqualTo(NETWORK + "\n");
    assertThat(server.requests()).startsWith("GET /api/v1/sandboxes/box", "GET " + AT);
  }

  @Test
  void rules_are_added_and_the_whole_is_shown() {
    server.answer(BOX, json(200, NETWORK), BOX, json(200, NETWORK));
    assertThat(cove("network", "allow", "box", "*.c.example:80-90", "a.example GET /v1/*").out())
        .isEqualTo(SHOWN);
    assertThat(cove("network", "deny", "box", "b.example").out()).isEqualTo(SHOWN);
    assertThat(server.requests().get(1)).isEqualTo("POST " + AT + "/rules");
    assertThat(body(1)).isEqualTo("{\"allow\":[\"*.c.example:80-90\",\"a.example GET /v1/*\"]}");
    assertThat(body(3)).isEqualTo("{\"deny\":[\"b.example\"]}");
  }

  @Test
  void a_rule_that_lost_its_quotes_is_refused_before_it_allows_too_much() {
    for (String[] call :
        new String[][] {
          {"network", "allow", "box", "a.example", "GET", "/v1/*"},
          {"network", "allow", "box", "a.example", "/v1/*"},
          {"network", "allow", "box", "a.example", "GET,POST"},
          {"network", "set", "box", "--allow", "GET"}
        }) {
      CommandRun refused = cove(call);
      assertThat(refused.code()).as(String.join(" ", call)).isEqualTo(ExitCode.USAGE);
      assertThat(refused.err()).contains("is no host; put a rule").doesNotContain("Exception");
    }
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void set_comes_on_top_of_what_was_said_unless_that_is_cleared() {
    server.answer(BOX, json(200, NETWORK), json(200, NETWORK), BOX, json(200, NETWORK));
    cove("network", "set", "box", "--network", "ask", "--attended", "--allow", "b.example");
    assertThat(body(2))
        .isEqualTo(
            "{\"default\":\"ask\",\"presets\":[\"git\"],"
                + "\"allow\":[\"a.example GET /v1/*\",\"b.example\"],\"deny\":[],"
                + "\"attended\":true}");
    cove("network", "set", "box", "--clear", "--preset", "llm", "--deny", "d");
    assertThat(body(4))
        .isEqualTo(
            "{\"default\":\"deny\",\"presets\":[\"llm\"],\"allow\":[],\"deny\":[\"d\"],"
                + "\"attended\":false}");
    assertThat(server.requests().subList(1, 5))
        .containsExactly("GET " + AT, "PUT " + AT, "GET /api/v1/sandboxes/box", "PUT " + AT);
  }

  @Test
  void what_makes_no_sense_is_one_sentence_and_reaches_no_server() {
    for (String[] call :
        new String[][] {
          {"network"},
          {"network", "set", "box"},
          {"network", "set", "box", "--network", "maybe"},
          {"network", "allow", "box"},
          {"network", "log", "box", "--limit", "0"},
          {"network", "log", "box", "--limit", "1001"},
          {"network", "answer", "box", "q1", "perhaps"},
          {"network", "explain", "box"},
          {"create", "--network", "none"},
          {"create", "--secret", "NAME"},
          {"create", "--secret", "NAME@host=cookie:x"},
          {"secret", "bind", "box", "A@a", "B"}
        }) {
      CommandRun misused = cove(call);
      assertThat(misused.code()).as(String.join(" ", call)).isEqualTo(ExitCode.USAGE);
      assertThat(misused.err()).startsWith("cove: ").doesNotContain("Exception");
    }
    assertThat(cove("run", "--network", "none", "--", "true").code())
        .isEqualTo(ExitCode.COVE_FAILED);
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void an_explanation_ends_with_a_line_to_copy_and_a_code() {
    server.answer(
        BOX,
        json(
            200,
            """
            {"destination":"a.example:443","outcome":"denied","rule":"deny *.example",\
            "remedy":"a.example:443"}\
            """),
        BOX,
        json(
            200,
            "{\"destination\":\"a.example:443\",\"outcome\":\"by_request\",\"rule\":\"allow a\"}"),
        BOX,
        json(200, "{\"destination\":\"a:1\",\"outcome\":\"ask\",\"rule\":\"default ask\"}"));
    CommandRun denied = cove("network", "explain", "my box", "a.example:443");
    assertThat(denied.out())
        .isEqualTo(
            """
            a.example:443 is denied: deny *.example
            To allow it: cove network allow 'my box' a.example:443
            """);
    assertThat(denied.code()).isEqualTo(ExitCode.FAILED);
    assertThat(server.requests().get(1))
        .isEqualTo("GET " + AT + "/explain?destination=a.example%3A443");
    CommandRun some = cove("network", "explain", "box", "a.example:443");
    assertThat(some.out()).isEqualTo("a.example:443 depends on the request: allow a\n");
    assertThat(some.code()).isZero();
    CommandRun asked = cove("network", "explain", "--json", "box", "a:1");
    assertThat(asked.out()).startsWith("{\"destination\":\"a:1\"");
    assertThat(asked.code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void the_log_is_a_table_or_json() {
    server.answer(BOX, items(entry("a\\u001b[2J:1", 3)), BOX, items(), BOX, items(entry("a:1", 1)));
    List<String> lines = cove("network", "log", "box").out().lines().toList();
    assertThat(lines.getFirst())
        .startsWith("TIME")
        .contains("OUTCOME", "DESTINATION", "DIALLED", "COUNT", "SENT", "RECEIVED", "RULE");
    assertThat(lines.getLast())
        .startsWith("2026-11-16T03:00:00Z  denied   a\ufffd[2J:1")
        .contains("2K")
        .endsWith("default deny");
    assertThat(server.requests().get(1)).isEqualTo("GET " + AT + "/log?limit=100");
    assertThat(cove("network", "log", "--json", "--limit", "7", "box").out()).isEqualTo("[]\n");
    assertThat(server.requests().get(3)).isEqualTo("GET " + AT + "/log?limit=7");
    assertThat(cove("network", "log", "--json", "box").out())
        .isEqualTo("[" + entry("a:1", 1) + "]\n");
  }

  @Test
  void following_the_log_shows_what_is_new_and_ends_with_the_sandbox() {
    server.answer(
        BOX,
        items(entry("old:1", 1), entry("a:1", 1)),
        items(entry("old:1", 1), entry("a:1", 1)),
        items(entry("a:1", 2), entry("b:1", 1)),
        GONE);
    CommandRun followed = cove("network", "log", "-f", "--json", "--limit", "1", "box");
    assertThat(followed.out().lines())
        .containsExactly(entry("a:1", 1), entry("a:1", 2), entry("b:1", 1));
    assertThat(followed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(followed.err()).isEqualTo("cove: There is no sandbox box.\n");
  }

  @Test
  void rows_that_come_later_stand_under_the_same_headings() {
    server.answer(
        BOX, items(question("q1", "long.example:443")), items(question("q2", "b:1")), GONE);
    List<String> lines = cove("network", "questions", "--follow", "box").out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("ID  DESTINATION       WAITING");
    assertThat(lines.get(1)).startsWith("q1  long.example:443  2");
    assertThat(lines.get(2)).startsWith("q2  b:1               2");
  }

  @Test
  void questions_are_listed_and_answered() {
    server.answer(BOX, items(question("q1", "a:1")), BOX, NOTHING, BOX, GONE);
    assertThat(cove("network", "questions", "--json", "box").out())
        .isEqualTo("[" + question("q1", "a:1") + "]\n");
    assertThat(cove("network", "answer", "box", "q1", "session").code()).isZero();
    assertThat(server.requests().getLast()).isEqualTo("POST " + AT + "/questions/q1");
    assertThat(body(3)).isEqualTo("{\"answer\":\"session\"}");
    assertThat(cove("network", "answer", "box", "q1", "no").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void ask_takes_a_letter_for_each_question_until_the_input_ends() {
    server.answer(
        BOX,
        json(200, ASKING),
        items(question("q1", "a.example:443")),
        NOTHING,
        items(),
        items(question("q2", "b.example:443")),
        GONE,
        items(question("q3", "c.example:443")));
    CommandRun asked =
        CommandRun.at(
            new Typist("a\n", "what?\ns\nNO\n"), server.environment(), "network", "ask", "box");
    assertThat(asked.code()).isZero();
    assertThat(body(3)).as("not what was typed too early").isEqualTo("{\"answer\":\"session\"}");
    assertThat(body(6)).isEqualTo("{\"answer\":\"no\"}");
    assertThat(asked.err())
        .contains("a.example:443 (2 waiting): [o]nce, this [s]ession, [a]lways, [n]o? ")
        .contains("Nobody waits for that any more.")
        .endsWith("c.example:443 (2 waiting): [o]nce, this [s]ession, [a]lways, [n]o? \n");
    assertThat(server.requests()).hasSize(8);
  }

  @Test
  void ask_says_what_is_missing() {
    CommandRun piped = cove("network", "ask", "box");
    assertThat(piped.code()).isEqualTo(ExitCode.FAILED);
    assertThat(piped.err()).contains("needs a terminal").contains("cove network answer");
    server.answer(BOX, json(200, NETWORK));
    CommandRun unasked =
        CommandRun.at(new Typist("", ""), server.environment(), "network", "ask", "box");
    assertThat(unasked.code()).isEqualTo(ExitCode.FAILED);
    assertThat(unasked.err()).contains("cove network set box --network ask --attended");
  }

  @Test
  void a_new_sandbox_gets_its_group_and_its_limits() {
    server.answer(json(201, BOX.body()));
    cove(
        "create",
        "--group",
        "shop",
        "--group-port",
        "5432",
        "--max-connections",
        "10",
        "--max-per-hour",
        "1G");
    assertThat(body(0))
        .isEqualTo(
            "{\"network\":{\"default\":\"deny\",\"presets\":[],\"allow\":[],\"deny\":[],"
                + "\"attended\":false,\"limits\":{\"connections\":10,"
                + "\"bytesPerHour\":1073741824}},\"group\":\"shop\",\"groupPorts\":[\"5432\"]}");
  }

  @Test
  void a_sandbox_is_put_into_a_group_and_taken_out_of_it() {
    String group =
        "{\"name\":\"shop\",\"ports\":[\"5432\"],\"members\":[{\"id\":\"abc\",\"name\":\"db\","
            + "\"hosts\":[\"db\",\"db.internal\",\"abc\",\"abc.internal\"],\"ports\":[\"5432\"]}]}";
    server.answer(BOX, json(200, group), BOX, NOTHING, BOX, BOX);
    assertThat(cove("network", "join", "box", "shop", "--port", "5432").out())
        .isEqualTo("group shop\nabc             db abc                  5432\n");
    assertThat(body(1)).isEqualTo("{\"name\":\"shop\",\"ports\":[\"5432\"]}");
    assertThat(cove("network", "leave", "box").code()).isZero();
    CommandRun none = cove("network", "group", "box");
    assertThat(none.code()).isNotZero();
    assertThat(none.err()).contains("is in no group");
  }

  @Test
  void a_new_sandbox_gets_its_network_and_secrets() {
    server.answer(json(201, BOX.body()), json(201, BOX.body()));
    cove(
        "create",
        "--network",
        "ask",
        "--attended",
        "--preset",
        "git",
        "--allow",
        "a.example GET /v1/*",
        "--allow",
        "[2001:db8::]/32:443",
        "--deny",
        "b.example",
        "--secret",
        "K@a.example",
        "--secret",
        "K@b.example:8443=bearer",
        "--secret",
        "P@c.example=basic:me");
    assertThat(body(0))
        .isEqualTo(
            "{\"network\":{\"default\":\"ask\",\"presets\":[\"git\"],"
                + "\"allow\":[\"a.example GET /v1/*\",\"[2001:db8::]/32:443\"],"
                + "\"deny\":[\"b.example\"],\"attended\":true},"
                + "\"secrets\":[{\"secret\":\"K\",\"hosts\":[\"a.example\",\"b.example:8443\"],"
                + "\"place\":\"bearer\",\"methods\":[],\"paths\":[],\"added\":false,"
                + "\"plainHttp\":false,\"env\":\"K\"},{\"secret\":\"P\","
                + "\"hosts\":[\"c.example\"],\"place\":\"basic\",\"user\":\"me\",\"methods\":[],"
                + "\"paths\":[],\"added\":false,\"plainHttp\":false,\"env\":\"P\"}]}");
    cove("create");
    assertThat(body(1)).as("nothing is said where nothing was said").isEqualTo("{}");
  }
}
