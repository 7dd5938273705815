package dev.cove.security;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RawApi;
import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventFeed;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.Keys;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxGroup;
import dev.cove.sdk.Volume;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * One project against another. The routes come from the API's own description, so that a new one is
 * tried by itself: what is somebody else's must be answered for like what is not there at all.
 */
class ProjectIsolationTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  /** Makes what is not there: the stranger gets one of his own. */
  private static final Set<String> MAKES_ITS_OWN = Set.of("PUT /api/v1/secrets/{secret}");

  private static final String FOR_OPERATORS = "/api/v1/projects/{project}";
  private static final String CHANGES = "/api/v1/sandboxes/{box}/changes";

  @SuppressWarnings("NullAway.Init") // all set before the first test
  private static Cove victim;

  @SuppressWarnings("NullAway.Init")
  private static Cove stranger;

  @SuppressWarnings("NullAway.Init")
  private static Keys.NewKey victimKey;

  @SuppressWarnings("NullAway.Init")
  private static Keys.NewKey strangerKey;

  @SuppressWarnings("NullAway.Init")
  private static Sandbox box;

  @SuppressWarnings("NullAway.Init")
  private static Checkpoint checkpoint;

  @SuppressWarnings("NullAway.Init")
  private static Volume volume;

  @SuppressWarnings("NullAway.Init")
  private static String webhook;

  @BeforeAll
  static void start() throws Exception {
    SERVER.cove().projects().create("victim");
    SERVER.cove().projects().create("stranger");
    victimKey = SERVER.cove().keys().create("of the victim", "victim");
    strangerKey = SERVER.cove().keys().create("of the stranger", "stranger");
    victim = Cove.connect(SERVER.url(), victimKey.key());
    stranger = Cove.connect(SERVER.url(), strangerKey.key());
    box = victim.sandboxes().create(CreateOptions.defaults().name("crown").group("jewels"));
    checkpoint = box.checkpoint("kept");
    volume = victim.volumes().create("vault", 16);
    victim.secrets().set("API_KEY", "the victim's value".getBytes(StandardCharsets.UTF_8));
    webhook = victim.webhooks().create("http://h.example/", List.of()).webhook().id();
    var made =
        send(victimKey, "POST", "/api/v1/templates", "{\"name\":\"plans\",\"from\":\"host\"}");
    assertThat(made.status()).isEqualTo(201);
  }

  @AfterAll
  static void end() {
    box.close();
    for (Cove cove : List.of(victim, stranger)) {
      cove.sandboxes().list().forEach(left -> cove.sandboxes().delete(left.id()));
      cove.close();
    }
  }

  private static RawHttp.Answer send(Keys.NewKey key, String method, String target, String body)
      throws IOException {
    boolean socket = target.contains("/attach") || target.endsWith("/connect");
    String upgrade =
        socket
            ? "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            : "Connection: close\r\n";
    boolean file = target.contains("/files?") || target.contains("/archive");
    return RawHttp.to(SERVER)
        .exchange(
            "%s %s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n%s%sContent-Length: %d\r\n\r\n%s"
                .formatted(
                    method,
                    target,
                    key.key(),
                    upgrade,
                    body.isEmpty() || file ? "" : "Content-Type: application/json\r\n",
                    body.length(),
                    body));
  }

  /** One thing of the victim's, and something of the same kind that does not exist. */
  private record Thing(String variable, String real, String missing) {}

  private static List<Thing> things() {
    return List.of(
        new Thing("box", box.id(), "zzzzzzzzzzzzz0"),
        new Thing("box", "crown", "crowd"),
        new Thing("checkpoint", checkpoint.id(), "c0000000000000000000"),
        new Thing("volume", volume.id(), "v0000000000000"),
        new Thing("volume", "vault", "fault"),
        new Thing("template", "plans", "plains"),
        new Thing("template", "plans@1", "plains@1"),
        new Thing("secret", "API_KEY", "API_KEE"),
        new Thing("webhook", webhook, "wh0000000000000000"),
        new Thing("key", victimKey.id(), "00000000"),
        new Thing("project", "victim", "victor"));
  }

  private record Call(String route, String method, String target, String body) {
    Call at(Thing thing, String name) {
      return new Call(
          route, method, target.replace("{" + thing.variable() + "}", encode(name)), body);
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static List<Call> callsOn(Thing thing) throws Exception {
    var calls = new ArrayList<Call>();
    JsonNode document;
    try (var api = new RawApi(SERVER)) {
      document = RawApi.parse(api.get("/api/openapi.json"));
    }
    for (var path : document.get("paths").properties()) {
      if (!path.getKey().contains("{" + thing.variable() + "}")) {
        continue;
      }
      for (var operation : path.getValue().properties()) {
        String method = operation.getKey().toUpperCase(Locale.ROOT);
        String target = path.getKey() + query(document, operation.getValue());
        if (target.endsWith("/diff")) {
          target += "?to={checkpoint}";
        }
        // What lies below it has some name that is not looked for before the thing itself is found.
        String here = thing.variable();
        target = target.replaceAll("\\{(?!" + here + "})[a-z]+}", "1");
        JsonNode content = operation.getValue().path("requestBody").path("content");
        String body =
            content.has("application/json")
                ? content.get("application/json").get("example").toString()
                : content.isEmpty() ? "" : "content of a file";
        calls.add(new Call(method + " " + path.getKey(), method, target, body));
      }
    }
    return calls;
  }

  private static String query(JsonNode document, JsonNode operation) {
    var query = new StringBuilder();
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode resolved =
          parameter.has("$ref")
              ? document.at(parameter.get("$ref").asString().substring(1))
              : parameter;
      if (resolved.get("in").asString().equals("query") && resolved.path("required").asBoolean()) {
        String name = resolved.get("name").asString();
        String value = name.equals("destination") ? "example.com:443" : "/etc/hostname";
        query.append(query.isEmpty() ? "?" : "&").append(name).append('=').append(encode(value));
      }
    }
    return query.toString();
  }

  /** A project of the host is the operator's, whoever works on it. */
  private static boolean isForOperators(Call call) {
    return call.route().contains(FOR_OPERATORS) || call.route().contains(CHANGES);
  }

  @Test
  void every_route_answers_for_anothers_things_as_for_what_is_not_there() throws Exception {
    int tried = 0;
    for (Thing thing : things()) {
      for (Call call : callsOn(thing)) {
        if (MAKES_ITS_OWN.contains(call.route())) {
          continue;
        }
        Call real = call.at(thing, thing.real());
        Call missing = call.at(thing, thing.missing());
        RawHttp.Answer answer = send(strangerKey, real.method(), real.target(), real.body());
        RawHttp.Answer nothing =
            send(strangerKey, missing.method(), missing.target(), missing.body());
        assertThat(answer.status())
            .as("%s: %s", real, answer.text())
            .isEqualTo(isForOperators(call) ? 403 : 404);
        assertThat(content(answer, thing.real()))
            .as(call.route())
            .isEqualTo(content(nothing, thing.missing()));
        tried++;
      }
    }
    assertThat(tried).isGreaterThan(120);
    assertNothingHappened();
  }

  /** Without the name that was asked for, which some answers repeat. */
  private static String content(RawHttp.Answer answer, String name) {
    String text = answer.text();
    return text.substring(text.indexOf("\r\n\r\n")).replace(name, "NAME");
  }

  private static void assertNothingHappened() {
    assertThat(box.fetchInfo()).isEqualTo(box.info());
    assertThat(victim.checkpoints().require(checkpoint.id()).name()).isEqualTo("kept");
    assertThat(victim.volumes().list()).extracting(Volume::id).containsExactly(volume.id());
    assertThat(victim.templates().list()).anyMatch(one -> one.name().equals("plans"));
    assertThat(victim.secrets().list()).hasSize(1);
    assertThat(victim.webhooks().list()).hasSize(1);
    assertThat(victim.keys().list()).hasSize(1).allMatch(key -> key.revokedAt().isEmpty());
  }

  @Test
  void the_owner_is_answered_by_the_same_routes() throws Exception {
    int answered = 0;
    for (Thing thing : things()) {
      for (Call call : callsOn(thing)) {
        boolean plain = call.method().equals("GET") && !call.target().contains("watch");
        boolean deeper = call.target().contains("/1") || call.target().contains("files");
        if (plain && !deeper && !call.target().contains("attach")) {
          Call real = call.at(thing, thing.real());
          RawHttp.Answer answer = send(victimKey, real.method(), real.target(), real.body());
          assertThat(answer.status())
              .as(real.toString())
              .isEqualTo(
                  switch (call.route()) {
                    case "GET /api/v1/templates/{template}/export",
                        "GET /api/v1/templates/{template}/image" ->
                        answer.status(); // one of the host's programs alone has none
                    // It has none, which is told to its owner alone.
                    case "GET /api/v1/sandboxes/{box}/budget" -> 404;
                    case "GET /api/v1/sandboxes/{box}/code/contexts" -> 409; // no interpreter
                    default -> isForOperators(call) ? 403 : 200;
                  });
          answered++;
        }
      }
    }
    assertThat(answered).isGreaterThan(20);
  }

  @Test
  void no_field_of_a_request_leads_to_anothers_things() throws Exception {
    try (Sandbox own = stranger.sandboxes().create()) {
      Checkpoint ownCheckpoint = own.checkpoint("own");
      String at = "/api/v1/sandboxes";
      Map<String, String> attempts =
          Map.ofEntries(
              Map.entry(at + " c", "{\"checkpoint\":\"%s\"}".formatted(checkpoint.id())),
              Map.entry(at + " t", "{\"template\":\"plans\"}"),
              Map.entry(at + " t1", "{\"template\":\"plans@1\"}"),
              Map.entry(at + " v", mounting(volume.id())),
              Map.entry(at + " vn", mounting("vault")),
              Map.entry(
                  at + "/" + own.id() + "/restore",
                  "{\"checkpoint\":\"%s\"}".formatted(checkpoint.id())),
              Map.entry(
                  "/api/v1/templates c",
                  "{\"name\":\"mine\",\"checkpoint\":\"%s\"}".formatted(checkpoint.id())),
              Map.entry("/api/v1/volumes", "{\"name\":\"mine\",\"from\":\"vault\"}"),
              Map.entry(
                  "/api/v1/volumes i",
                  "{\"name\":\"mine\",\"from\":\"%s\"}".formatted(volume.id())),
              Map.entry("/api/v1/keys", "{\"name\":\"mine\",\"project\":\"victim\"}"));
      for (var attempt : attempts.entrySet()) {
        String target = attempt.getKey().split(" ", 2)[0];
        RawHttp.Answer answer = send(strangerKey, "POST", target, attempt.getValue());
        assertThat(answer.status()).as("%s %s", attempt, answer.text()).isEqualTo(404);
      }
      String diff = "/api/v1/checkpoints/" + ownCheckpoint.id() + "/diff";
      for (String other : List.of("?to=" + checkpoint.id(), "?sandbox=" + box.id())) {
        assertThat(send(strangerKey, "GET", diff + other, "").status()).as(other).isEqualTo(404);
      }
      RawHttp.Answer bound =
          send(
              strangerKey,
              "PUT",
              at + "/" + own.id() + "/secrets",
              "{\"items\":[{\"secret\":\"API_KEY\",\"hosts\":[\"a.example\"],\"bearer\":true}]}");
      assertThat(bound.status()).as(bound.text()).isEqualTo(400);
    }
    assertNothingHappened();
  }

  private static String mounting(String name) {
    return "{\"volumes\":[{\"volume\":\"%s\",\"target\":\"/v\",\"readOnly\":true}]}"
        .formatted(name);
  }

  @Test
  void lists_show_ones_own_and_no_header_shows_more() throws Exception {
    for (String list :
        List.of(
            "sandboxes", "checkpoints", "volumes", "templates", "secrets", "webhooks", "keys")) {
      String answer = send(strangerKey, "GET", "/api/v1/" + list, "").text();
      assertThat(answer)
          .contains("200 OK")
          .doesNotContain(
              box.id(), checkpoint.id(), volume.id(), "plans", "API_KEY", webhook, victimKey.id());
    }
    for (String other : List.of("victim", "*", "default", "nobody", "VICTIM", "")) {
      try (Cove cunning = Cove.connect(SERVER.url(), strangerKey.key(), other)) {
        assertRefused(404, "not_found", () -> cunning.sandboxes().list());
      }
      RawHttp.Answer asked =
          send(strangerKey, "GET", "/api/v1/sandboxes?project=" + encode(other), "");
      assertThat(asked.status()).as(other).isEqualTo(404);
    }
  }

  @Test
  void what_concerns_the_whole_server_is_for_operators() throws Exception {
    for (String target :
        List.of("/api/v1/system", "/api/v1/system/disk", "/metrics", "/api/v1/projects")) {
      assertThat(send(strangerKey, "GET", target, "").status()).as(target).isEqualTo(403);
    }
    assertThat(send(strangerKey, "POST", "/api/v1/system/prune", "").status()).isEqualTo(403);
    assertThat(send(strangerKey, "POST", "/api/v1/projects", "{\"name\":\"more\"}").status())
        .isEqualTo(403);
    Keys.NewKey another = stranger.keys().create("another");
    assertThat(another.project()).contains("stranger");
    assertThat(send(another, "GET", "/api/v1/projects", "").status()).isEqualTo(403);
  }

  @Test
  void the_same_names_are_different_things() {
    try (Sandbox crown = stranger.sandboxes().create(CreateOptions.defaults().name("crown"))) {
      assertThat(stranger.sandboxes().require("crown").id()).isEqualTo(crown.id());
      assertThat(victim.sandboxes().require("crown").id()).isEqualTo(box.id());
      // A name that is another's id is but a name.
      try (Sandbox likeness =
          stranger.sandboxes().create(CreateOptions.defaults().name(box.id()))) {
        assertThat(stranger.sandboxes().require(box.id()).id()).isEqualTo(likeness.id());
      }
    }
    Volume vault = stranger.volumes().create("vault", 16);
    assertThat(stranger.volumes().require("vault").id()).isEqualTo(vault.id());
    stranger.volumes().delete("vault");
    stranger.secrets().set("API_KEY", "a value of my own".getBytes(StandardCharsets.UTF_8));
    stranger.secrets().delete("API_KEY");
    assertNothingHappened();
  }

  @Test
  void an_idempotency_key_of_one_is_nothing_to_another() {
    CreateOptions options = CreateOptions.defaults().idempotencyKey("the same");
    try (Sandbox first = victim.sandboxes().create(options);
        Sandbox second = stranger.sandboxes().create(options)) {
      assertThat(second.id()).isNotEqualTo(first.id());
      assertThat(second.info().project()).isEqualTo("stranger");
      assertThat(victim.sandboxes().create(options).id()).isEqualTo(first.id());
    }
  }

  @Test
  void groups_of_one_name_never_meet() {
    box.spawn(Command.of("python3", "-m", "http.server", "5432", "--bind", "127.0.0.1"));
    Awaitility.await()
        .until(() -> box.exec("curl", "-sf", "http://127.0.0.1:5432/").exitCode() == 0);
    try (Sandbox friend = victim.sandboxes().create(CreateOptions.defaults().group("jewels"));
        Sandbox foe =
            stranger.sandboxes().create(CreateOptions.defaults().name("spy").group("jewels"))) {
      assertThat(curl(friend, "crown")).endsWith("[200]");
      assertThat(curl(foe, "crown")).endsWith("[403]");
      assertThat(curl(foe, box.id())).endsWith("[403]");
      assertThat(foe.group().orElseThrow().members())
          .extracting(SandboxGroup.Member::name)
          .containsExactly("spy");
      assertThat(friend.group().orElseThrow().members())
          .extracting(SandboxGroup.Member::name)
          .doesNotContain("spy");
      assertThat(foe.fork().group().orElseThrow().members()).hasSize(2);
    }
  }

  private static String curl(Sandbox from, String host) {
    return from.exec(
            Command.shell(
                "curl -s -m 15 -o /dev/null -w '[%%{http_code}]' http://%s:5432/".formatted(host)))
        .stdout();
  }

  @Test
  void a_key_opens_no_port_of_another_project() throws Exception {
    box.spawn(Command.of("python3", "-m", "http.server", "8000", "--bind", "127.0.0.1"));
    Awaitility.await()
        .until(() -> box.exec("curl", "-sf", "http://127.0.0.1:8000/").exitCode() == 0);
    String port = "/p/" + box.id() + "/8000/";
    assertThat(send(victimKey, "GET", port, "").status()).isEqualTo(200);
    RawHttp.Answer refused = send(strangerKey, "GET", port, "");
    assertThat(refused.status()).isEqualTo(401);
    RawHttp.Answer unknown =
        RawHttp.to(SERVER)
            .exchange(
                "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(port));
    assertThat(content(refused, "")).isEqualTo(content(unknown, ""));
    String link =
        victim
            .sandboxes()
            .require(box.id())
            .linkPort(8000, Duration.ofMinutes(5))
            .pathUrl()
            .toString();
    String token = link.substring(link.indexOf("cove-link="));
    try (Sandbox own = stranger.sandboxes().create()) {
      RawHttp.Answer elsewhere = send(strangerKey, "GET", "/p/" + own.id() + "/8000/?" + token, "");
      assertThat(elsewhere.status()).isNotEqualTo(200);
    }
  }

  @Test
  void events_of_one_are_not_told_to_another() {
    try (EventFeed feed = stranger.events().follow(EventQuery.all())) {
      victim.sandboxes().create(CreateOptions.defaults().name("loud")).close();
      Sandbox own = stranger.sandboxes().create(CreateOptions.defaults().name("quiet"));
      own.close();
      Event first = feed.next().orElseThrow();
      assertThat(first.project()).contains("stranger");
      assertThat(first.sandbox()).contains(own.id());
    }
    EventQuery query = EventQuery.all();
    var page = stranger.events().list(query, 1_000);
    var all = new ArrayList<>(page.items());
    while (page.more()) {
      page = stranger.events().list(query.after(page.next()), 1_000);
      all.addAll(page.items());
    }
    assertThat(all).isNotEmpty().allMatch(event -> event.project().equals(Optional.of("stranger")));
    assertThat(stranger.events().list(query.sandbox(box.id()), 1_000).items()).isEmpty();
  }
}
