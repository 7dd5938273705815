package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with the right key and the wrong content: a clear 4xx, and nothing is changed. */
class HostileRequestTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final String BOXES = "/api/v1/sandboxes";
  private static final long MEMORY_ROOM = 64L << 20;

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Sandbox box;

  @SuppressWarnings("NullAway.Init") // set before every test
  private static ApiClient client;

  @BeforeAll
  static void start() {
    box = SERVER.cove().sandboxes().create();
    client = ApiClient.of(SERVER);
  }

  @AfterAll
  static void end() {
    box.close();
  }

  private static void assertRefused(HttpResponse<String> answer, String what) {
    assertThat(answer.statusCode()).as("%s: %s", what, answer.body()).isBetween(400, 499);
    assertThat(answer.headers().firstValue("Content-Type"))
        .as(what)
        .contains("application/problem+json");
    assertThat(answer.body()).as(what).contains("\"code\":\"").contains("\"detail\":\"");
    assertThat(answer.body()).as(what).doesNotContain("Exception").doesNotContain("dev.cove");
  }

  private static void assertNothingChanged() {
    assertThat(SERVER.cove().sandboxes().list().stream().map(SandboxInfo::id).toList())
        .containsExactly(box.id());
    assertThat(box.fetchInfo()).isEqualTo(box.info());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..%2f..%2fetc",
        "%2e%2e",
        "..;",
        "..%00",
        "%00",
        "%0d%0aX:%20y",
        "%ff",
        "%c0%ae",
        "0x1",
        "0001",
        "'%20OR%20'1'='1",
        "%25s%25n%25x",
        "${jndi:x}",
        "%E2%80%AE",
        "%F0%9F%92%80",
        "%EF%BC%91%EF%BC%92"
      })
  void an_odd_id_is_no_sandbox(String id) throws Exception {
    for (String rest : List.of("", "/metrics", "/processes", "/files/list?path=/")) {
      RawHttp.Answer answer = raw("GET", BOXES + "/" + id + rest);
      assertThat(answer.status()).as("%s%s: %s", id, rest, answer.text()).isIn(400, 404);
    }
    assertThat(raw("DELETE", BOXES + "/" + id).status()).isIn(400, 404);
    for (String number : List.of(id, "-1", "99999999999999999999", "1e3", "+1", "0x1", "1.0")) {
      RawHttp.Answer answer = raw("GET", BOXES + "/" + box.id() + "/processes/" + number);
      assertThat(answer.status()).as("process %s: %s", number, answer.text()).isIn(400, 404);
    }
    assertNothingChanged();
  }

  @Test
  void an_id_in_another_spelling_is_not_the_same_sandbox() throws Exception {
    assertThat(raw("GET", BOXES + "/" + box.id()).status()).isEqualTo(200);
    for (String id :
        List.of(
            box.id().toUpperCase(Locale.ROOT),
            box.id() + "%20",
            box.id() + "%00",
            box.id() + ".",
            box.id() + ";x",
            "x/../" + box.id(),
            "%20" + box.id())) {
      assertThat(raw("GET", BOXES + "/" + id).status()).as(id).isIn(400, 404);
    }
    assertThat(raw("GET", BOXES + "/" + "a".repeat(100_000)).status()).isIn(400, 404, 414, 431);
  }

  private static RawHttp.Answer raw(String method, String target) throws Exception {
    return RawHttp.to(SERVER)
        .exchange(
            "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-API-Key: %s\r\n\r\n"
                .formatted(method, target, SERVER.key()));
  }

  static List<String> badCreates() {
    return List.of(
        "",
        " ",
        "null",
        "[]",
        "\"text\"",
        "1",
        "{",
        "{}x",
        "{}{}",
        "{\"name\":}",
        "{'name':'x'}",
        "{\"name\":\"a\",\"name\":\"b\"}",
        "{\"cpus\":NaN}",
        "{\"cpus\":1e400}",
        "{\"cpus\":-1}",
        "{\"cpus\":0}",
        "{\"cpus\":\"1\"}",
        "{\"cpus\":true}",
        "{\"memoryMb\":-1}",
        "{\"memoryMb\":0}",
        "{\"memoryMb\":15}",
        "{\"memoryMb\":1.5}",
        "{\"memoryMb\":\"64\"}",
        "{\"memoryMb\":2147483648}",
        "{\"memoryMb\":9007199254740993}",
        "{\"memoryMb\":9223372036854775808}",
        "{\"memoryMb\":" + "9".repeat(500) + "}",
        "{\"diskMb\":-1}",
        "{\"diskMb\":0}",
        "{\"diskMb\":[1]}",
        "{\"maxProcesses\":0}",
        "{\"maxProcesses\":-1}",
        "{\"maxProcesses\":4294967297}",
        "{\"name\":1}",
        "{\"name\":\"\"}",
        "{\"name\":\"" + "n".repeat(10_000) + "\"}",
        "{\"name\":\"a\\u0000b\"}",
        "{\"name\":\"a\\nb\"}",
        "{\"name\":\"\\ud800\"}",
        "{\"template\":\"../../etc\"}",
        "{\"template\":\"/etc\"}",
        "{\"template\":\"no-such-template\"}",
        "{\"template\":\"-o\"}",
        "{\"template\":\"file:///etc/passwd\"}",
        "{\"tier\":\"none\"}",
        "{\"tier\":\"kata\"}",
        "{\"requires\":{\"kernel\":\"none\"}}",
        "{\"requires\":{\"hardware\":\"yes\"}}",
        "{\"tier\":\"CONTAINER\"}",
        "{\"env\":{\"A=B\":\"x\"}}",
        "{\"env\":{\"\":\"x\"}}",
        "{\"env\":{\"A\":\"x\\u0000y\"}}",
        "{\"env\":{\"A\":1}}",
        "{\"env\":{\"A\":null}}",
        "{\"env\":[\"A=B\"]}",
        "{\"labels\":{\"a\":{}}}",
        "{\"labels\":{\"\":\"x\"}}",
        "{\"labels\":{\"" + "k".repeat(2_000) + "\":\"x\"}}",
        "{\"labels\":{\"k\":\"" + "v".repeat(70_000) + "\"}}",
        // Fields that other systems have and that would weaken the cage if they were obeyed.
        "{\"privileged\":true}",
        "{\"capAdd\":[\"SYS_ADMIN\"]}",
        "{\"cap_add\":[\"ALL\"]}",
        "{\"devices\":[\"/dev/mem\"]}",
        "{\"pidMode\":\"host\"}",
        "{\"hostNetwork\":true}",
        "{\"network\":\"host\"}",
        "{\"runtime\":\"/tmp/evil\"}",
        "{\"seccomp\":\"unconfined\"}",
        "{\"securityOpt\":[\"seccomp=unconfined\"]}",
        "{\"volumes\":[\"/:/host\"]}",
        "{\"mounts\":[{\"source\":\"/\"}]}",
        "{\"sysctls\":{\"kernel.core_pattern\":\"|/x\"}}",
        "{\"kernelArgs\":\"a\\nb\"}",
        "{\"id\":\"aaaaaaaaaaaaaa\"}",
        "{\"state\":\"running\"}",
        "{\"__proto__\":{\"privileged\":true}}",
        "{\"@class\":\"java.lang.ProcessBuilder\"}",
        "{\"@type\":\"x\",\"name\":\"y\"}",
        "{\"user\":\"root\"}");
  }

  @ParameterizedTest
  @MethodSource("badCreates")
  void a_bad_create_makes_nothing(String body) throws Exception {
    long start = System.nanoTime();
    HttpResponse<String> answer = client.post(BOXES, body);

    String what = body.substring(0, Math.min(body.length(), 80));
    assertRefused(answer, what);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertNothingChanged();
  }

  static List<String> badExecs() {
    return List.of(
        "{}",
        "{\"command\":[]}",
        "{\"command\":[\"\"]}",
        "{\"command\":\"true\"}",
        "{\"command\":[1]}",
        "{\"command\":[null]}",
        "{\"command\":[[\"true\"]]}",
        "{\"command\":[\"a\\u0000b\"]}",
        "{\"command\":[\"true\"],\"cwd\":\"relative\"}",
        "{\"command\":[\"true\"],\"cwd\":\"/a\\u0000b\"}",
        "{\"command\":[\"true\"],\"cwd\":\"/" + "n".repeat(5_000) + "\"}",
        "{\"command\":[\"true\"],\"user\":\"\"}",
        "{\"command\":[\"true\"],\"user\":\"no-such-user\"}",
        "{\"command\":[\"true\"],\"user\":\"-1\"}",
        "{\"command\":[\"true\"],\"user\":\"4294967295\"}",
        "{\"command\":[\"true\"],\"user\":\"65536\"}",
        "{\"command\":[\"true\"],\"user\":\"root:x\"}",
        "{\"command\":[\"true\"],\"user\":\"a\\nb\"}",
        "{\"command\":[\"true\"],\"user\":0}",
        "{\"command\":[\"true\"],\"timeoutMs\":0}",
        "{\"command\":[\"true\"],\"timeoutMs\":-1}",
        "{\"command\":[\"true\"],\"timeoutMs\":86400001}",
        "{\"command\":[\"true\"],\"timeoutMs\":9223372036854775807}",
        "{\"command\":[\"true\"],\"timeoutMs\":\"1\"}",
        "{\"command\":[\"true\"],\"env\":{\"A=\":\"\"}}",
        "{\"command\":[\"true\"],\"env\":{\"1A\":\"\"}}",
        "{\"command\":[\"true\"],\"env\":{\"A\":\"\\u0000\"}}",
        "{\"command\":[\"true\"],\"stdin\":\"x\",\"stdinBase64\":\"eA==\"}",
        "{\"command\":[\"true\"],\"stdinBase64\":\"%%\"}",
        "{\"command\":[\"true\"],\"encoding\":\"utf16\"}",
        "{\"command\":[\"true\"],\"privileged\":true}",
        "{\"command\":[\"true\"],\"capabilities\":[\"SYS_ADMIN\"]}",
        "{\"command\":[\"true\"],\"terminal\":{\"rows\":24,\"cols\":80}}",
        "{\"command\":[" + "\"x\",".repeat(20_000) + "\"x\"]}");
  }

  @ParameterizedTest
  @MethodSource("badExecs")
  void a_bad_command_is_not_run(String body) throws Exception {
    HttpResponse<String> answer = client.post(BOXES + "/" + box.id() + "/exec", body);

    assertRefused(answer, body.substring(0, Math.min(body.length(), 80)));
    assertThat(box.exec("true").exitCode()).isZero();
  }

  @Test
  void encodings_other_than_utf_8_are_refused() throws Exception {
    String good = "{\"labels\":{\"a\":\"b\"}}";
    var broken = new TreeMap<String, byte[]>();
    broken.put("UTF-16", good.getBytes(StandardCharsets.UTF_16));
    broken.put("UTF-16LE", good.getBytes(StandardCharsets.UTF_16LE));
    broken.put("UTF-32", good.getBytes(Charset.forName("UTF-32BE")));
    broken.put("a stray byte", bytes("{\"labels\":{\"a\":\"", 0xff, "\"}}"));
    broken.put("half a character", bytes("{\"labels\":{\"a\":\"", 0xc3, "\"}}"));
    broken.put("an overlong slash", bytes("{\"labels\":{\"a\":\"\u00c0", 0xaf, "\"}}"));
    broken.put("truncated", Arrays.copyOf(good.getBytes(StandardCharsets.UTF_8), 12));
    for (var body : broken.entrySet()) {
      HttpResponse<String> answer =
          client.send(client.request("PATCH", BOXES + "/" + box.id(), body.getValue()));
      assertRefused(answer, body.getKey());
    }
    assertNothingChanged();
  }

  private static byte[] bytes(String before, int odd, String after) {
    byte[] first = before.getBytes(StandardCharsets.ISO_8859_1);
    byte[] last = after.getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocate(first.length + 1 + last.length)
        .put(first)
        .put((byte) odd)
        .put(last)
        .array();
  }

  @Test
  void deep_and_huge_bodies_are_refused_with_memory_flat() throws Exception {
    List<String> deep =
        List.of(
            "[".repeat(100_000),
            "{\"a\":".repeat(100_000),
            "{\"labels\":" + "{\"a\":".repeat(1_000) + "1" + "}".repeat(1_001),
            "{\"name\":\"" + "n".repeat(900_000) + "\"}");
    for (String body : deep) {
      assertRefused(client.post(BOXES, body), body.substring(0, 20));
    }
    byte[] large = new byte[100 << 20];
    Arrays.fill(large, (byte) ' ');
    // Once unmeasured, so that what follows is not the heap's first growth.
    assertThat(large(large)).isEqualTo(413);
    long before = HostView.residentBytes(SERVER.pid());
    for (int i = 0; i < 3; i++) {
      assertThat(large(large)).isEqualTo(413);
    }
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
    assertNothingChanged();
  }

  private static int large(byte[] body) throws Exception {
    HttpRequest.Builder request =
        client.request("POST", BOXES + "/" + box.id() + "/exec", body).expectContinue(false);
    return client.send(request).statusCode();
  }

  @Test
  void a_packed_body_is_not_unpacked() throws Exception {
    byte[] bomb = Archive.gzip(new byte[50 << 20]);
    HttpResponse<String> answer =
        client.send(client.request("POST", BOXES, bomb).header("Content-Encoding", "gzip"));

    assertRefused(answer, "gzip");
    assertNothingChanged();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=-1",
        "limit=1001",
        "limit=2147483648",
        "limit=9999999999999999999",
        "limit=1e3",
        "limit=+1",
        "limit=%D9%A1",
        "limit=1&limit=2",
        "limit=",
        "cursor=%00",
        "cursor=../../x",
        "cursor=" + "'%20OR%201=1",
        "label=novalue",
        "label==x",
        "unknown=1",
        "limit=%zz"
      })
  void a_bad_query_is_refused(String query) throws Exception {
    assertThat(raw("GET", BOXES + "?" + query).status()).isEqualTo(400);
  }

  @Test
  void numbers_of_files_and_ports_beyond_their_range_are_refused() throws Exception {
    String files = BOXES + "/" + box.id() + "/files";
    for (String target :
        List.of(
            files + "?path=/etc/passwd&offset=-1",
            files + "?path=/etc/passwd&length=-1",
            files + "?path=/etc/passwd&offset=9223372036854775808",
            files + "/list?path=/&depth=0",
            files + "/list?path=/&depth=17",
            files + "/list?path=/&limit=100001",
            files + "/list?path=/&limit=-5")) {
      assertThat(raw("GET", target).status()).as(target).isEqualTo(400);
    }
    for (String port : List.of("0", "-1", "65536", "022", "+80", "8e1", "%38%30x")) {
      assertThat(raw("GET", BOXES + "/" + box.id() + "/ports/" + port + "/connect").status())
          .as(port)
          .isBetween(400, 426);
    }
  }

  @Test
  void odd_but_valid_names_and_labels_come_back_as_they_were() throws Exception {
    for (String name :
        List.of(
            "\u202eright to left",
            "zero\u200bwidth",
            "e\u0301 and \u00e9",
            "\ud83d\udc80",
            "$(id)",
            "-rf",
            "../x",
            "a'; DROP TABLE sandboxes; --",
            "<script>alert(1)</script>")) {
      try (Sandbox odd =
          SERVER.cove().sandboxes().create(CreateOptions.defaults().name(name).label("k", name))) {
        assertThat(odd.fetchInfo().name()).isEqualTo(name);
        assertThat(odd.fetchInfo().labels()).isEqualTo(Map.of("k", name));
        assertThat(SERVER.cove().sandboxes().require(name).id()).isEqualTo(odd.id());
        assertThat(SERVER.cove().sandboxes().list(Map.of("k", name))).hasSize(1);
      }
    }
    assertNothingChanged();
  }

  @Test
  void variables_reach_the_command_as_they_are_and_nothing_else() {
    String odd = "line\nbreak $(id) `id` '\"";
    try (Sandbox other =
        SERVER
            .cove()
            .sandboxes()
            .create(
                CreateOptions.defaults()
                    .env("ODD", odd)
                    .env("LD_PRELOAD", "/no/such/library.so"))) {
      assertThat(other.exec("printenv", "ODD").stdout()).isEqualTo(odd + "\n");
    }
    assertThat(box.exec("env").stdout()).doesNotContain("ODD=").doesNotContain("LD_PRELOAD");
  }

  @Test
  void line_breaks_in_requests_make_no_lines_in_the_log() throws Exception {
    String forged = "2026-01-01 INFO forged-line";
    for (String target :
        List.of(
            BOXES + "/x%0d%0a" + forged.replace(" ", "%20"),
            BOXES + "?cursor=%0a" + forged.replace(" ", "%20"),
            "/%0a" + forged.replace(" ", "%20"))) {
      assertThat(raw("GET", target).status()).isBetween(400, 499);
    }
    client.post(BOXES, "{\"name\":\"x\\n" + forged + "\"}");
    client.post(BOXES, "{\"" + "x\\n" + forged + "\":1}");
    client.post(BOXES + "/" + box.id() + "/exec", "{\"command\":[\"/no/such\\n" + forged + "\"]}");

    List<String> lines =
        Files.readString(SERVER.log(), StandardCharsets.ISO_8859_1).lines().toList();
    assertThat(
            lines.stream()
                .filter(line -> line.startsWith(forged.substring(0, 10)))
                .filter(line -> line.contains("forged-line"))
                .collect(Collectors.joining()))
        .isEmpty();
    assertThat(lines).noneMatch(line -> line.startsWith(forged));
  }
}
