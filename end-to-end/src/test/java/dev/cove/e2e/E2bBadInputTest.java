package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What no client of E2B's would send: it is refused with its number, and is never our fault. */
class E2bBadInputTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final String UNKNOWN = "nosuchsandbox1";

  private static HttpClient client;
  private static String box = "";
  private static String token = "";

  @BeforeAll
  static void create() throws Exception {
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    JsonNode made =
        json(
            control(
                "POST", "/v2/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"k\":\"v\"}}"));
    box = made.get("sandboxID").asString();
    token = made.get("envdAccessToken").asString();
  }

  @AfterAll
  static void remove() throws Exception {
    assertThat(control("DELETE", "/sandboxes/" + box, "").statusCode()).isEqualTo(204);
    client.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /v2/sandboxes",
        "POST /sandboxes",
        "POST /sandboxes/BOX/timeout",
        "POST /sandboxes/BOX/refreshes",
        "POST /sandboxes/BOX/pause",
        "POST /sandboxes/BOX/connect",
        "POST /v2/sandboxes/BOX/connect",
        "POST /sandboxes/BOX/fork",
        "POST /sandboxes/BOX/snapshots",
        "PUT /sandboxes/BOX/network",
        "POST /v3/templates",
        "POST /templates/tags",
        "DELETE /templates/tags",
        "PATCH /v2/templates/base",
        "POST /volumes",
        "POST /secrets",
        "POST /secrets/some-name"
      })
  void a_body_that_is_none_is_refused_with_its_number(String route) throws Exception {
    String[] words = route.replace("BOX", box).split(" ");
    for (String body :
        List.of("{", "[]", "null", "\"x\"", "{\"a\":1}}", "\u0000", "[".repeat(2_000))) {
      assertRefused(control(words[0], words[1], body), body);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /v2/sandboxes | {}",
        "POST | /v2/sandboxes | {\"templateID\":7.5e300}",
        "POST | /v2/sandboxes | {\"templateID\":\"../../etc\"}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"timeout\":-1}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"timeout\":9223372036854775807}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"timeout\":99999999999999999999}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"metadata\":{\"a\":null}}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"envVars\":{\"A=B\":\"c\"}}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"volumeMounts\":[null]}",
        "POST | /v2/sandboxes |"
            + " {\"templateID\":\"base\",\"volumeMounts\":[{\"name\":\"none\",\"path\":\"/m\"}]}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"network\":{\"allowOut\":[null]}}",
        "POST | /v2/sandboxes |"
            + " {\"templateID\":\"base\",\"network\":{\"egressProxy\":{\"address\":\"x\"}}}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"network\":{\"httpsPorts\":[1]}}",
        "POST | /v2/sandboxes | {\"templateID\":\"base\",\"autoPauseMemory\":false}",
        "PUT | /sandboxes/BOX/network | {\"denyOut\":[\"example.com\"]}",
        "PUT | /sandboxes/BOX/network | {\"rules\":{\"a.test\":null}}",
        "PUT | /sandboxes/BOX/network | {\"rules\":{\"a.test\":[null]}}",
        "PUT | /sandboxes/BOX/network |"
            + " {\"rules\":{\"a.test\":[{\"transform\":{\"headers\":{\"X\":null}}}]}}",
        "PUT | /sandboxes/BOX/network |"
            + " {\"rules\":{\"a.test\":[{\"transform\":{\"headers\":{\"Host\":\"${e2b.secrets.x}\"}}}]}}",
        "PUT | /sandboxes/BOX/network |"
            + " {\"rules\":{\"*.com\":[{\"transform\":{\"headers\":{\"X\":\"${e2b.secrets.x}\"}}}]}}",
        "POST | /sandboxes/BOX/fork | {\"count\":0}",
        "POST | /sandboxes/BOX/fork | {\"count\":101}",
        "POST | /sandboxes/BOX/timeout | {}",
        "POST | /secrets | {\"name\":\"a b\",\"value\":\"long enough\"}",
        "POST | /secrets | {\"name\":\"ok\"}",
        "POST | /v3/templates | {\"name\":\"host\"}",
        "GET | /v2/sandboxes?limit=0 |",
        "GET | /v2/sandboxes?limit=x |",
        "GET | /v2/sandboxes?state=dead |",
        "GET | /v2/sandboxes?order=up |",
        "GET | /v2/sandboxes?startedAfter=yesterday |",
        "GET | /v2/sandboxes?nextToken=%21%21 |",
        "GET | /sandboxes/metrics |",
        "GET | /sandboxes/BOX/metrics?start=-1 |",
        "GET | /sandboxes/BOX/logs?limit=1001 |",
        "GET | /sandboxes/BOX/logs?start=-1 |",
        "GET | /sandboxes/BOX/logs?start=9223372036854775807 |",
        "GET | /v2/sandboxes/BOX/logs?direction=sideways |",
        "GET | /v2/sandboxes/BOX/logs?level=loud |",
        "GET | /secrets?limit=101 |",
        "GET | /secrets/a%2Fb |",
        "GET | /snapshots?limit=101 |",
        "GET | /templates/base/files/nothex |",
        "GET | /templates/base/builds/none/status |",
        "GET | /no/such/path |",
        "PATCH | /sandboxes/BOX | {}"
      })
  void wishes_that_make_no_sense_are_refused_with_their_number(
      String method, String path, String body) throws Exception {
    assertRefused(control(method, path.replace("BOX", box), body == null ? "" : body), path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /sandboxes/ID",
        "DELETE /sandboxes/ID",
        "POST /sandboxes/ID/pause",
        "POST /sandboxes/ID/connect",
        "POST /v2/sandboxes/ID/connect",
        "GET /sandboxes/ID/metrics",
        "GET /sandboxes/ID/logs",
        "GET /v2/sandboxes/ID/logs",
        "PUT /sandboxes/ID/network",
        "POST /sandboxes/ID/fork",
        "POST /sandboxes/ID/snapshots"
      })
  void a_sandbox_that_is_not_there_is_404_everywhere(String route) throws Exception {
    for (String id : List.of(UNKNOWN, "UPPER", "..%2F..", "a".repeat(500), "%00", "é")) {
      String[] words = route.replace("ID", id.equals("é") ? "%C3%A9" : id).split(" ");
      HttpResponse<String> answer = control(words[0], words[1], words[0].equals("GET") ? "" : "{}");
      assertThat(answer.statusCode()).as("%s: %s", id, answer.body()).isIn(400, 404);
      if (!id.equals("%00")) { // that is no address, and gets to no API
        assertRefused(answer, id);
      }
    }
  }

  @Test
  void filters_are_decoded_three_times_and_broken_ones_are_refused() throws Exception {
    assertThat(found("k%3Dv")).contains(box);
    assertThat(found("%256B%3D%2576")).contains(box);
    assertThat(found("%25256B%3Dv")).contains(box);
    assertThat(found("%2525256B%3Dv")).doesNotContain(box);
    for (String broken : List.of("%25", "%2525", "%25%32", "a%3D%25zz", "a%3D%2525zz", "%25FF")) {
      HttpResponse<String> answer = control("GET", "/v2/sandboxes?metadata=" + broken, "");
      assertRefused(answer, broken);
      assertThat(answer.statusCode()).isEqualTo(400);
    }
  }

  private static String found(String metadata) throws Exception {
    HttpResponse<String> answer = control("GET", "/v2/sandboxes?metadata=" + metadata, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "080", "65536", "99999", "-1", "x", "49983 ", "4 9"})
  void a_port_that_is_none_is_refused(String port) throws Exception {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(uri("/anything"))
                .header("E2b-Sandbox-Id", box)
                .header("E2b-Sandbox-Port", port)
                .build());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(400, 404);
  }

  @Test
  void two_names_for_a_sandbox_are_as_good_as_none() throws Exception {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(uri("/envs"))
                .header("E2b-Sandbox-Id", box)
                .header("E2b-Sandbox-Id", UNKNOWN)
                .header("E2b-Sandbox-Port", "49983")
                .header("X-Access-Token", token)
                .build());
    assertThat(answer.statusCode()).isEqualTo(400);
  }

  @Test
  void a_signature_is_good_until_its_second_and_for_its_words_alone() throws Exception {
    long now = Instant.now().getEpochSecond();
    assertThat(signed("/etc/hostname", "read", "", now + 600).statusCode()).isEqualTo(200);
    HttpResponse<String> late = signed("/etc/hostname", "read", "", now - 5);
    assertThat(late.statusCode()).isEqualTo(401);
    assertThat(late.body()).contains("signature is already expired");
    HttpResponse<String> forUpload = signed("/etc/hostname", "write", "", now + 600);
    assertThat(forUpload.statusCode()).isEqualTo(401);
    assertThat(forUpload.body()).contains("invalid signature");
    String unsigned = "/files?path=%2Fetc%2Fhostname&signature=";
    for (String signature : List.of("", "v1_", "v2_x", "v1_%FF", "x".repeat(5_000))) {
      HttpResponse<String> answer = file(unsigned + signature);
      assertThat(answer.statusCode()).as(signature).isBetween(400, 401);
    }
    HttpResponse<String> never = file(unsigned + "v1_x&signature_expiration=never");
    assertThat(never.statusCode()).isEqualTo(401);
  }

  private static HttpResponse<String> signed(String path, String operation, String user, long until)
      throws Exception {
    String text = String.join(":", path, operation, user, token, String.valueOf(until));
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    String signature = "v1_" + Base64.getEncoder().withoutPadding().encodeToString(hash);
    return file(
        "/files?path=%s&signature=%s&signature_expiration=%d"
            .formatted(
                URLEncoder.encode(path, StandardCharsets.UTF_8),
                URLEncoder.encode(signature, StandardCharsets.UTF_8),
                until));
  }

  private static HttpResponse<String> file(String query) throws Exception {
    return send(HttpRequest.newBuilder(uri(query)).build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"~other", "~other/x", "~root/x", "a\\u0000b"})
  void paths_of_other_users_and_broken_ones_are_invalid_in_every_call(String path)
      throws Exception {
    for (String call : List.of("Stat", "ListDir", "MakeDir", "Remove")) {
      HttpResponse<String> answer =
          rpc("filesystem.Filesystem/" + call, "{\"path\":\"%s\"}".formatted(path), "");
      assertThat(answer.statusCode()).as("%s: %s", call, answer.body()).isEqualTo(400);
      assertThat(answer.body()).contains("\"code\":\"invalid_argument\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nobody-knows", "root:x:y", "../etc", "x y", "é"})
  void an_unknown_user_is_told_by_its_name(String user) throws Exception {
    HttpResponse<String> answer = rpc("filesystem.Filesystem/Stat", "{\"path\":\"/\"}", user);
    if (user.startsWith("root:")) {
      assertThat(answer.statusCode()).as("what follows is a password").isEqualTo(200);
      return;
    }
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
    assertThat(answer.body()).contains("\"code\":\"unauthenticated\"").contains("invalid username");
  }

  private static HttpResponse<String> rpc(String call, String body, String user) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri("/" + call))
            .header("Content-Type", "application/json")
            .header("E2b-Sandbox-Id", box)
            .header("E2b-Sandbox-Port", "49983")
            .header("X-Access-Token", token)
            .POST(BodyPublishers.ofString(body));
    if (!user.isEmpty()) {
      byte[] pair = (user + ":").getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }
    return send(request.build());
  }

  /** Clients decide by the number in the body. */
  private static void assertRefused(HttpResponse<String> answer, String about) {
    assertThat(answer.statusCode()).as("%.200s: %s", about, answer.body()).isBetween(400, 499);
    JsonNode body = JsonMapper.shared().readTree(answer.body());
    assertThat(body.get("code").asInt()).isEqualTo(answer.statusCode());
    assertThat(body.get("message").asString()).isNotBlank();
  }

  private static HttpResponse<String> control(String method, String path, String body)
      throws Exception {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("X-API-KEY", server.key().replaceFirst("^cove_", "e2b_"))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build());
  }

  private static JsonNode json(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    return JsonMapper.shared().readTree(answer.body());
  }

  private static HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    return URI.create(server.url() + "/e2b" + path);
  }
}
