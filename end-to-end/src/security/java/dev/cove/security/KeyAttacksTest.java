package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CoveConnectionException;
import dev.cove.sdk.Keys;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Getting in without a key, or with one that is no good. */
class KeyAttacksTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final List<String> OPEN_TO_ALL =
      List.of("/healthz", "/readyz", "/api/openapi.json");

  @SuppressWarnings("NullAway.Init") // set before every test
  private static Sandbox box;

  @BeforeAll
  static void start() {
    box = SERVER.cove().sandboxes().create();
  }

  @AfterAll
  static void end() {
    box.close();
  }

  /** A method and a path with its parameters filled in, such that the right key would do. */
  private record Call(String method, String target) {}

  private static List<Call> everyRoute() throws IOException, InterruptedException {
    var client = ApiClient.of(SERVER);
    var answer = client.sendForBytes(client.anonymous("GET", "/api/openapi.json", new byte[0]));
    assertThat(answer.statusCode()).isEqualTo(200);
    var calls = new ArrayList<Call>();
    JsonObject paths = Json.parseObject(answer.body()).requireObject("paths");
    for (String path : paths.members().keySet()) {
      if (OPEN_TO_ALL.contains(path)) {
        continue;
      }
      String target =
          path.contains("{box}")
              ? path.replace("{box}", box.id()).replaceAll("\\{[a-z]+}", "1")
              : path.replaceAll("\\{[a-z]+}", "1");
      for (String method : paths.requireObject(path).members().keySet()) {
        if (List.of("get", "put", "post", "patch", "delete").contains(method)) {
          calls.add(new Call(method.toUpperCase(Locale.ROOT), target));
        }
      }
    }
    return calls;
  }

  @Test
  void every_route_refuses_every_bad_key_in_the_same_words() throws Exception {
    List<Call> calls = everyRoute();
    assertThat(calls).hasSizeGreaterThan(25);
    Map<String, String> heads = badKeys();
    var bodies = new HashSet<String>();
    List<Keys.KeyInfo> keysBefore = SERVER.cove().keys().list();

    for (Call call : calls) {
      for (var head : heads.entrySet()) {
        String query = head.getKey().equals("in the query") ? "?api_key=" + SERVER.key() : "";
        RawHttp.Answer answer =
            RawHttp.to(SERVER)
                .exchange(
                    "%s %s%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s%s\r\n\r\n{}"
                        .formatted(
                            call.method(),
                            call.target(),
                            query,
                            head.getValue(),
                            "Content-Type: application/json\r\nContent-Length: 2"));
        assertThat(answer.status()).as("%s with key %s", call, head.getKey()).isEqualTo(401);
        bodies.add(answer.text().substring(answer.text().indexOf("\r\n\r\n")));
      }
    }

    assertThat(bodies).as("different answers to bad keys").hasSize(1);
    assertThat(box.fetchInfo()).isEqualTo(box.info());
    assertThat(SERVER.cove().sandboxes().list()).hasSize(1);
    assertThat(SERVER.cove().keys().list()).hasSameSizeAs(keysBefore);
  }

  private static Map<String, String> badKeys() {
    String good = SERVER.key();
    Keys.NewKey revoked = SERVER.cove().keys().create("to be revoked");
    SERVER.cove().keys().revoke(revoked.id());
    String changed = good.substring(0, good.length() - 1) + (good.endsWith("0") ? "1" : "0");
    String basic =
        Base64.getEncoder().encodeToString(("user:" + good).getBytes(StandardCharsets.UTF_8));
    var heads = new LinkedHashMap<String, String>();
    heads.put("none", "");
    heads.put("empty", "Authorization: Bearer \r\n");
    heads.put("empty header", "X-API-Key:\r\n");
    heads.put("changed", "Authorization: Bearer " + changed + "\r\n");
    heads.put("unknown", "X-API-Key: cove_" + "0".repeat(64) + "\r\n");
    heads.put("revoked", "X-API-Key: " + revoked.key() + "\r\n");
    heads.put("upper case", "X-API-Key: " + good.toUpperCase(Locale.ROOT) + "\r\n");
    heads.put("longer", "X-API-Key: " + good + "0\r\n");
    heads.put("shorter", "X-API-Key: " + good.substring(0, good.length() - 1) + "\r\n");
    heads.put("without its prefix", "X-API-Key: " + good.substring(5) + "\r\n");
    heads.put("in another scheme", "Authorization: Basic " + basic + "\r\n");
    heads.put("without a scheme", "Authorization: " + good + "\r\n");
    heads.put("in a cookie", "Cookie: key=" + good + "; X-API-Key=" + good + "\r\n");
    heads.put("in the query", "");
    heads.put("twice", "Authorization: Bearer " + good + "\r\nX-API-Key: " + good + "\r\n");
    heads.put("twice in one way", "X-API-Key: " + good + "\r\nX-API-Key: " + good + "\r\n");
    heads.put("long", "X-API-Key: " + "k".repeat(8_000) + "\r\n");
    heads.put("quotes", "X-API-Key: ' OR 1=1 --\r\n");
    return heads;
  }

  @Test
  void the_right_key_is_let_in_by_either_header() throws Exception {
    for (String head : List.of("X-API-Key: ", "Authorization: Bearer ", "authorization: bearer ")) {
      RawHttp.Answer answer =
          RawHttp.to(SERVER)
              .exchange(
                  "GET /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      + head
                      + SERVER.key()
                      + "\r\n\r\n");
      assertThat(answer.status()).as(head).isEqualTo(200);
    }
  }

  @Test
  void a_key_of_a_megabyte_is_refused_without_being_kept() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    for (int i = 0; i < 20; i++) {
      RawHttp.Answer answer =
          RawHttp.to(SERVER)
              .exchange(
                  "GET /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nX-API-Key: "
                      + "k".repeat(1 << 20)
                      + "\r\n\r\n");
      // It may hang up before all of it was sent; then there is no answer to be read.
      assertThat(answer.status()).isIn(0, 401, 431);
    }
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(64L << 20);
    assertThat(SERVER.cove().healthy()).isTrue();
  }

  @Test
  void a_revoked_key_ends_open_streams_too() {
    Keys.NewKey key = SERVER.cove().keys().create("short-lived");
    try (Cove other = Cove.connect(SERVER.url(), key.key());
        var command = other.sandboxes().require(box.id()).start(Command.of("sleep", "120"))) {
      SERVER.cove().keys().revoke(key.id());

      Awaitility.await("the stream to be cut")
          .atMost(Duration.ofSeconds(10))
          .until(() -> {
            try {
              return command.waitFor(Duration.ofMillis(100)).isPresent();
            } catch (CoveApiException | CoveConnectionException e) {
              return true;
            }
          });
    }
  }

  @Test
  void a_key_is_nowhere_on_disk_and_in_no_answer_but_its_first() throws Exception {
    Keys.NewKey key = SERVER.cove().keys().create("to be looked for");
    try (Cove other = Cove.connect(SERVER.url(), key.key())) {
      assertThat(other.sandboxes().list()).hasSize(1);
    }
    String secret = key.key().substring("cove_".length());
    String half = secret.substring(secret.length() / 2);

    assertThat(filesWith(SERVER.key().substring("cove_".length()))).hasSize(1);
    assertThat(filesWith(half)).isEmpty();
    String list = ApiClient.of(SERVER).get("/api/v1/keys").body();
    assertThat(list).contains(key.id()).contains(secret.substring(secret.length() - 4));
    assertThat(list).doesNotContain(half);
    assertThat(Files.getPosixFilePermissions(SERVER.home().resolve("data/local.key"))).hasSize(2);
  }

  /** Files of the server's home that hold a text; at most local.key may hold the first key. */
  private static List<Path> filesWith(String text) throws IOException {
    var found = new ArrayList<Path>();
    try (Stream<Path> files = Files.walk(SERVER.home())) {
      for (Path file :
          files
              .filter(path -> !path.startsWith(SERVER.home().resolve("data/engine")))
              .filter(Files::isRegularFile)
              .toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
          found.add(file);
        }
      }
    }
    return found;
  }
}
