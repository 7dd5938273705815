package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Keys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E2B's protocol byte by byte, and above all what its own clients never send. */
class E2bWireTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final String UNARY = "application/json";
  private static final String STREAM = "application/connect+json";

  private static HttpClient client;
  private static String box = "";
  private static String token = "";

  @BeforeAll
  static void create() throws Exception {
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpResponse<String> made = send(control("POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    box = field(made.body(), "sandboxID");
    token = field(made.body(), "envdAccessToken");
  }

  @AfterAll
  static void remove() throws Exception {
    assertThat(send(control("DELETE", "/sandboxes/" + box, "")).statusCode()).isEqualTo(204);
    client.close();
  }

  @Test
  void errors_of_the_control_api_carry_their_number() throws Exception {
    HttpResponse<String> unknown = send(control("DELETE", "/sandboxes/nosuchsandbox1", ""));
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("\"code\":404").contains("\"message\":");
    HttpResponse<String> nowhere = send(control("GET", "/no/such/path", ""));
    assertThat(nowhere.statusCode()).isEqualTo(404);
    assertThat(nowhere.body()).contains("\"code\":404");
    HttpResponse<String> template =
        send(control("POST", "/v2/sandboxes", "{\"templateID\":\"Not There!\"}"));
    assertThat(template.statusCode()).isEqualTo(404);
    assertThat(template.body()).contains("template 'Not There!' not found");
    HttpResponse<String> broken = send(control("POST", "/v2/sandboxes", "{\"templateID\":"));
    assertThat(broken.statusCode()).isEqualTo(400);
    assertThat(broken.body()).contains("\"code\":400");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "e2b_", "e2b_0000", "cove_", "nonsense"})
  void a_wrong_key_is_refused(String key) throws Exception {
    HttpResponse<String> answer =
        send(HttpRequest.newBuilder(uri("/sandboxes")).header("X-API-KEY", key).build());
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("\"code\":401");
  }

  @Test
  void the_native_spelling_of_a_key_is_accepted_too() throws Exception {
    HttpResponse<String> answer =
        send(HttpRequest.newBuilder(uri("/sandboxes")).header("X-API-KEY", server.key()).build());
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  @Test
  void a_key_of_another_project_sees_nothing_of_a_sandbox() throws Exception {
    server.cove().projects().create("e2b-others");
    Keys.NewKey made = server.cove().keys().create("other", "e2b-others");
    String key = made.key();
    try {
      for (String path : List.of("/sandboxes/" + box, "/sandboxes/" + box + "/metrics")) {
        HttpResponse<String> answer =
            send(HttpRequest.newBuilder(uri(path)).header("X-API-KEY", key).build());
        assertThat(answer.statusCode()).as(path).isEqualTo(404);
      }
      HttpResponse<String> listed =
          send(HttpRequest.newBuilder(uri("/v2/sandboxes")).header("X-API-KEY", key).build());
      assertThat(listed.body()).isEqualTo("[]");
    } finally {
      try (Cove there = Cove.connect(server.url(), server.key(), "e2b-others")) {
        there.keys().revoke(made.id());
      }
      server.cove().projects().delete("e2b-others");
    }
  }

  @Test
  void files_of_a_build_are_taken_only_at_an_address_that_was_given_out() throws Exception {
    String hash = "0".repeat(64);
    HttpResponse<String> place = send(control("GET", "/templates/some/files/" + hash, ""));
    assertThat(place.statusCode()).as(place.body()).isEqualTo(201);
    URI given = URI.create(field(place.body(), "url"));
    for (String changed :
        List.of(
            given.toString().replace("project=default", "project=other"),
            given.toString().replace("/some/", "/other/"),
            given.toString().replace(hash, "1".repeat(64)))) {
      HttpRequest put =
          HttpRequest.newBuilder(URI.create(changed)).PUT(BodyPublishers.ofString("x")).build();
      assertThat(send(put).statusCode()).as(changed).isEqualTo(401);
    }
    assertThat(send(control("GET", "/templates/some/files/nothex", "")).statusCode())
        .isEqualTo(400);
    assertThat(send(control("GET", "/templates/some/builds/none/status", "")).statusCode())
        .isEqualTo(404);
  }

  @Test
  void a_call_without_the_sandboxs_token_is_refused() throws Exception {
    for (String path : List.of("/envs", "/metrics")) {
      HttpResponse<String> answer =
          send(
              HttpRequest.newBuilder(uri(path))
                  .header("E2b-Sandbox-Id", box)
                  .header("E2b-Sandbox-Port", "49983")
                  .build());
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body()).contains("\"code\":401").contains("unauthorized access");
    }
    HttpResponse<String> wrong =
        send(data("/process.Process/List", UNARY).setHeader("X-Access-Token", "x"), "{}");
    assertThat(wrong.statusCode()).isEqualTo(401);
  }

  @Test
  void a_sandbox_must_be_named_in_two_headers() throws Exception {
    for (String header : List.of("E2b-Sandbox-Id", "E2b-Sandbox-Port")) {
      HttpResponse<String> answer =
          send(
              HttpRequest.newBuilder(uri("/envs"))
                  .header(header, header.endsWith("Id") ? box : "49983")
                  .build());
      assertThat(answer.statusCode()).isEqualTo(400);
    }
    for (String id : List.of("../x", "UPPER", "a".repeat(65))) {
      assertThat(send(health(id)).statusCode()).as(id).isEqualTo(400);
    }
  }

  @Test
  void a_sandbox_that_is_gone_is_told_in_the_words_that_clients_know() throws Exception {
    HttpResponse<String> answer = send(health("nosuchsandbox1"));
    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body())
        .isEqualTo(
            "{\"sandboxId\":\"nosuchsandbox1\",\"message\":\"The sandbox was not"
                + " found\",\"code\":502}");
    assertThat(send(health(box)).statusCode()).isEqualTo(204);
    assertThat(send(health(box + "-12345678")).statusCode()).isEqualTo(204);
  }

  @Test
  void a_stream_begins_with_start_and_ends_with_an_envelope() throws Exception {
    List<Frame> frames =
        start("{\"process\":{\"cmd\":\"/bin/echo\",\"args\":[\"hi\"]},\"stdin\":false}");
    assertThat(frames.getFirst().text()).startsWith("{\"event\":{\"start\":{\"pid\":");
    assertThat(frames.get(1).text()).isEqualTo("{\"event\":{\"data\":{\"stdout\":\"aGkK\"}}}");
    assertThat(frames.get(2).text())
        .isEqualTo("{\"event\":{\"end\":{\"exited\":true,\"status\":\"exit status 0\"}}}");
    assertThat(frames.get(3)).isEqualTo(new Frame(2, "{}"));
    assertThat(frames).hasSize(4);
  }

  @Test
  void broken_frames_are_refused_within_the_protocol() throws Exception {
    byte[] good = "{\"process\":{\"cmd\":\"true\"}}".getBytes(StandardCharsets.UTF_8);
    assertRefused(new byte[0], "invalid_argument");
    assertRefused(new byte[] {0, 0, 0}, "invalid_argument");
    assertRefused(frame(1, good), "invalid_argument");
    assertRefused(frame(2, good), "invalid_argument");
    assertRefused(frame(0x80, good), "invalid_argument");
    assertRefused(ByteBuffer.allocate(5).put((byte) 0).putInt(1_000).array(), "invalid_argument");
    assertRefused(
        ByteBuffer.allocate(5).put((byte) 0).putInt(Integer.MAX_VALUE).array(),
        "resource_exhausted");
    assertRefused(ByteBuffer.allocate(5).put((byte) 0).putInt(-1).array(), "resource_exhausted");
    assertRefused(frame(0, "{".getBytes(StandardCharsets.UTF_8)), "invalid_argument");
    assertRefused(frame(0, new byte[] {(byte) 0xff}), "invalid_argument");
    assertRefused(frame(0, "{}".getBytes(StandardCharsets.UTF_8)), "invalid_argument");
    byte[] twice = new byte[2 * (good.length + 5)];
    System.arraycopy(frame(0, good), 0, twice, 0, good.length + 5);
    System.arraycopy(frame(0, good), 0, twice, good.length + 5, good.length + 5);
    assertRefused(twice, "invalid_argument");
  }

  private static void assertRefused(byte[] body, String code) throws Exception {
    HttpResponse<InputStream> answer =
        client.send(
            data("/process.Process/Start", STREAM).POST(BodyPublishers.ofByteArray(body)).build(),
            BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue(STREAM);
    List<Frame> frames = frames(answer.body());
    assertThat(frames).hasSize(1);
    assertThat(frames.getFirst().flags()).isEqualTo(2);
    assertThat(frames.getFirst().text()).startsWith("{\"error\":{\"code\":\"" + code + "\"");
  }

  @Test
  void other_media_types_and_encodings_are_refused() throws Exception {
    assertThat(send(data("/process.Process/Start", UNARY), "{}").statusCode()).isEqualTo(415);
    assertThat(send(data("/process.Process/List", STREAM), "{}").statusCode()).isEqualTo(415);
    assertThat(send(data("/process.Process/List", "application/proto"), "").statusCode())
        .isEqualTo(415);
    HttpResponse<String> packed =
        send(data("/process.Process/List", UNARY).header("Content-Encoding", "gzip"), "{}");
    assertThat(packed.statusCode()).isEqualTo(501);
    assertThat(packed.body()).contains("\"code\":\"unimplemented\"");
    HttpResponse<String> version =
        send(data("/process.Process/List", UNARY).header("Connect-Protocol-Version", "2"), "{}");
    assertThat(version.statusCode()).isEqualTo(400);
  }

  @Test
  void a_message_at_the_limit_is_read_and_one_above_is_not() throws Exception {
    int most = 4 * 1024 * 1024;
    String begin = "{\"path\":\"/\",\"unknown\":\"";
    String fits = begin + "x".repeat(most - begin.length() - 2) + "\"}";
    assertThat(send(data("/filesystem.Filesystem/Stat", UNARY), fits).statusCode()).isEqualTo(200);
    HttpResponse<String> above = send(data("/filesystem.Filesystem/Stat", UNARY), fits + " ");
    assertThat(above.statusCode()).isEqualTo(429);
    assertThat(above.body()).contains("resource_exhausted");
  }

  @Test
  void calls_about_nothing_are_refused_with_the_right_code() throws Exception {
    assertCode(
        "/process.Process/SendSignal",
        "{\"process\":{\"pid\":999999},\"signal\":\"SIGNAL_SIGKILL\"}",
        404,
        "not_found");
    assertCode(
        "/process.Process/SendSignal",
        "{\"process\":{\"pid\":1},\"signal\":\"SIGNAL_SIGHUP\"}",
        501,
        "unimplemented");
    assertCode(
        "/process.Process/SendInput",
        "{\"process\":{\"tag\":\"nobodys\"},\"input\":{\"stdin\":\"eA==\"}}",
        404,
        "not_found");
    assertCode(
        "/process.Process/SendInput",
        "{\"process\":{},\"input\":{\"stdin\":\"eA==\"}}",
        400,
        "invalid_argument");
    assertCode("/filesystem.Filesystem/Stat", "{\"path\":\"~other/x\"}", 400, "invalid_argument");
    assertCode("/filesystem.Filesystem/Stat", "{\"path\":\"/no\\u0000\"}", 400, "invalid_argument");
    assertCode("/filesystem.Filesystem/Stat", "{\"path\":7}", 400, "invalid_argument");
    assertCode(
        "/filesystem.Filesystem/MakeDir", "{\"path\":\"/etc/passwd\"}", 400, "invalid_argument");
    assertCode("/filesystem.Filesystem/MakeDir", "{\"path\":\"/tmp\"}", 409, "already_exists");
    assertCode(
        "/filesystem.Filesystem/ListDir",
        "{\"path\":\"/\",\"depth\":1000}",
        400,
        "invalid_argument");
    assertCode(
        "/filesystem.Filesystem/GetWatcherEvents", "{\"watcherId\":\"none\"}", 404, "not_found");
    HttpResponse<String> user =
        send(
            data("/filesystem.Filesystem/Stat", UNARY)
                .header("Authorization", "Basic bm9ib2R5LWtub3dzOg=="),
            "{\"path\":\"/\"}");
    assertThat(user.statusCode()).isEqualTo(401);
    assertThat(user.body()).contains("invalid username: 'nobody-knows'");
  }

  private static void assertCode(String path, String body, int status, String code)
      throws Exception {
    HttpResponse<String> answer = send(data(path, UNARY), body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
  }

  @Test
  void a_watcher_that_is_asked_tells_what_happened() throws Exception {
    send(data("/filesystem.Filesystem/MakeDir", UNARY), "{\"path\":\"asked\"}");
    HttpResponse<String> made =
        send(data("/filesystem.Filesystem/CreateWatcher", UNARY), "{\"path\":\"asked\"}");
    String id = "{\"watcherId\":\"" + field(made.body(), "watcherId") + "\"}";
    send(data("/filesystem.Filesystem/MakeDir", UNARY), "{\"path\":\"asked/inner\"}");
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() ->
            send(data("/filesystem.Filesystem/GetWatcherEvents", UNARY), id)
                .body()
                .contains("{\"name\":\"inner\",\"type\":\"EVENT_TYPE_CREATE\"}"));
    assertThat(send(data("/filesystem.Filesystem/GetWatcherEvents", UNARY), id).body())
        .isEqualTo("{\"events\":[]}");
    assertThat(send(data("/filesystem.Filesystem/RemoveWatcher", UNARY), id).statusCode())
        .isEqualTo(200);
    assertThat(send(data("/filesystem.Filesystem/GetWatcherEvents", UNARY), id).statusCode())
        .isEqualTo(404);
  }

  @Test
  void a_sandbox_has_at_most_so_many_watchers() throws Exception {
    List<String> made = new ArrayList<>();
    HttpResponse<String> answer;
    do {
      answer = send(data("/filesystem.Filesystem/CreateWatcher", UNARY), "{\"path\":\"/tmp\"}");
      if (answer.statusCode() == 200) {
        made.add(field(answer.body(), "watcherId"));
      }
    } while (answer.statusCode() == 200 && made.size() < 100);
    assertThat(made).hasSize(64);
    assertThat(answer.statusCode()).isEqualTo(429);
    for (String id : made) {
      send(data("/filesystem.Filesystem/RemoveWatcher", UNARY), "{\"watcherId\":\"" + id + "\"}");
    }
  }

  @Test
  void a_silent_stream_gives_signs_of_life() throws Exception {
    HttpResponse<InputStream> answer =
        client.send(
            data("/process.Process/Start", STREAM)
                .header("Keepalive-Ping-Interval", "1")
                .header("Connect-Timeout-Ms", "2500")
                .POST(
                    BodyPublishers.ofByteArray(
                        frame(
                            0,
                            "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"60\"]}}"
                                .getBytes(StandardCharsets.UTF_8))))
                .build(),
            BodyHandlers.ofInputStream());
    List<Frame> frames = frames(answer.body());
    assertThat(frames.stream().filter(frame -> frame.text().contains("keepalive")))
        .hasSizeBetween(1, 3);
    assertThat(frames.getLast().text()).contains("deadline_exceeded");
  }

  @Test
  void a_stream_is_cut_when_its_sandbox_is_killed() throws Exception {
    HttpResponse<String> made =
        send(control("POST", "/sandboxes", "{\"templateID\":\"base\",\"timeout\":60}"));
    String other = field(made.body(), "sandboxID");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri("/process.Process/Start"))
            .header("Content-Type", STREAM)
            .header("E2b-Sandbox-Id", other)
            .header("E2b-Sandbox-Port", "49983")
            .header("X-Access-Token", field(made.body(), "envdAccessToken"));
    HttpResponse<InputStream> answer =
        client.send(
            request
                .POST(
                    BodyPublishers.ofByteArray(
                        frame(
                            0,
                            "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"60\"]}}"
                                .getBytes(StandardCharsets.UTF_8))))
                .build(),
            BodyHandlers.ofInputStream());
    assertThat(Frame.read(answer.body()).text()).contains("start");
    assertThat(send(control("DELETE", "/sandboxes/" + other, "")).statusCode()).isEqualTo(204);
    boolean cut;
    try {
      cut = frames(answer.body()).stream().noneMatch(frame -> frame.flags() == 2);
    } catch (IOException _) {
      cut = true;
    }
    assertThat(cut).isTrue();
    assertThat(send(health(other)).statusCode()).isEqualTo(502);
  }

  @Test
  void a_cut_request_leaves_the_server_well() throws Exception {
    URI url = server.url();
    try (var socket = new Socket(url.getHost(), url.getPort())) {
      socket
          .getOutputStream()
          .write(
              ("POST /e2b/process.Process/Start HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                      + STREAM
                      + "\r\nE2b-Sandbox-Id: "
                      + box
                      + "\r\nE2b-Sandbox-Port: 49983\r\nX-Access-Token: "
                      + token
                      + "\r\nContent-Length: 500\r\n\r\n\0\0\0\1")
                  .getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(send(health(box)).statusCode()).isEqualTo(204);
  }

  @Test
  void files_want_a_token_or_a_signature() throws Exception {
    HttpRequest.Builder named =
        HttpRequest.newBuilder(uri("/files?path=x"))
            .header("E2b-Sandbox-Id", box)
            .header("E2b-Sandbox-Port", "49983");
    HttpResponse<String> none = send(named.copy().build());
    assertThat(none.statusCode()).isEqualTo(401);
    assertThat(none.body()).contains("missing signature query parameter");
    HttpResponse<String> wrong = send(named.copy().header("X-Access-Token", "x").build());
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.body()).contains("access token present in header but does not match");
    HttpResponse<String> nameless =
        send(HttpRequest.newBuilder(URI.create(server.url() + "/files?path=x")).build());
    assertThat(nameless.statusCode()).isEqualTo(400);
    HttpResponse<String> forged =
        send(
            HttpRequest.newBuilder(URI.create(server.url() + "/files?path=x&signature=v1_nonsense"))
                .build());
    assertThat(forged.statusCode()).isEqualTo(401);
    assertThat(forged.body()).contains("invalid signature");
  }

  @Test
  void broken_uploads_are_refused_and_leave_no_file() throws Exception {
    String form = "multipart/form-data; boundary=b";
    String head =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"form.txt\"\r\n\r\n";
    assertUpload("", "text/plain", "x", 400);
    assertUpload("", form, "", 400);
    assertUpload("", "multipart/form-data", head + "x\r\n--b--\r\n", 400);
    assertUpload("", form, head + "no end", 400);
    assertUpload("", form, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n", 400);
    assertUpload("", form, "--b\r\n" + "X: y\r\n".repeat(100) + "\r\nx\r\n--b--\r\n", 400);
    assertUpload("", form, "--b\r\nX: " + "y".repeat(9_000) + "\r\n\r\nx\r\n--b--\r\n", 400);
    assertUpload(
        "",
        form,
        "--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n",
        400);
    assertUpload("", "application/octet-stream", "x", 400);
    assertUpload("?path=/tmp", "application/octet-stream", "x", 400);
    assertUpload("?path=~other/x", "application/octet-stream", "x", 400);
    assertThat(
            send(data("/filesystem.Filesystem/Stat", UNARY), "{\"path\":\"form.txt\"}")
                .statusCode())
        .isEqualTo(404);
    assertUpload("?path=empty-part.txt", form, head + "\r\n--b--\r\n", 200);
    assertUpload("?path=form.txt", form, head + "\r\n--x\r--b\n-\r\n--b--\r\n", 200);
    HttpResponse<String> read = send(data("/files?path=form.txt", UNARY).GET().build());
    assertThat(read.body()).isEqualTo("\r\n--x\r--b\n-");
  }

  private static void assertUpload(String query, String type, String body, int status)
      throws Exception {
    HttpResponse<String> answer = send(data("/files" + query, type), body);
    assertThat(answer.statusCode()).as("%s: %s", body, answer.body()).isEqualTo(status);
  }

  @Test
  void a_part_of_a_file_is_read() throws Exception {
    assertUpload("?path=range.txt", "application/octet-stream", "0123456789", 200);
    HttpResponse<String> part =
        send(data("/files?path=range.txt", UNARY).header("Range", "bytes=2-4").GET().build());
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).isEqualTo("234");
    assertThat(part.headers().firstValue("Content-Range")).hasValue("bytes 2-4/10");
  }

  // ---- what is sent and read -------------------------------------------------------------------

  private record Frame(int flags, String text) {
    static Frame read(InputStream in) throws IOException {
      byte[] head = in.readNBytes(5);
      if (head.length < 5) {
        throw new IOException("the stream ended without its end");
      }
      int length = ByteBuffer.wrap(head, 1, 4).getInt();
      return new Frame(head[0], new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }
  }

  private static List<Frame> frames(InputStream in) throws IOException {
    List<Frame> frames = new ArrayList<>();
    do {
      frames.add(Frame.read(in));
    } while (frames.getLast().flags() != 2);
    assertThat(in.read()).as("nothing follows the end").isEqualTo(-1);
    return frames;
  }

  private static List<Frame> start(String request) throws Exception {
    HttpResponse<InputStream> answer =
        client.send(
            data("/process.Process/Start", STREAM)
                .POST(
                    BodyPublishers.ofByteArray(frame(0, request.getBytes(StandardCharsets.UTF_8))))
                .build(),
            BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    return frames(answer.body());
  }

  private static byte[] frame(int flags, byte[] message) {
    var frame = new ByteArrayOutputStream();
    frame.write(flags);
    frame.writeBytes(ByteBuffer.allocate(4).putInt(message.length).array());
    frame.writeBytes(message);
    return frame.toByteArray();
  }

  private static HttpRequest.Builder data(String path, String type) {
    return HttpRequest.newBuilder(uri(path))
        .header("Content-Type", type)
        .header("E2b-Sandbox-Id", box)
        .header("E2b-Sandbox-Port", "49983")
        .header("X-Access-Token", token);
  }

  private static HttpRequest health(String id) {
    return HttpRequest.newBuilder(uri("/health"))
        .header("E2b-Sandbox-Id", id)
        .header("E2b-Sandbox-Port", "49983")
        .build();
  }

  private static HttpRequest control(String method, String path, String body) {
    return HttpRequest.newBuilder(uri(path))
        .header("X-API-KEY", server.key().replaceFirst("^cove_", "e2b_"))
        .header("Content-Type", "application/json")
        .method(method, BodyPublishers.ofString(body))
        .build();
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String body)
      throws Exception {
    return send(request.POST(BodyPublishers.ofString(body)).build());
  }

  private static HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    return URI.create(server.url() + "/e2b" + path);
  }

  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(json);
    assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
    return matcher.group(1);
  }
}
