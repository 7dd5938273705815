package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LifecycleTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void a_new_sandbox_runs_and_says_what_it_is() {
    var wanted =
        CreateOptions.defaults()
            .name("first of its kind")
            .cpus(0.5)
            .memoryMb(256)
            .maxProcesses(100)
            .label("team", "web");
    try (Sandbox box = server.create(wanted)) {
      SandboxInfo info = box.fetchInfo();
      assertThat(info.id()).matches("[a-z0-9]{8,63}");
      assertThat(info.name()).isEqualTo("first of its kind");
      assertThat(info.state()).isEqualTo("running");
      assertThat(info.reason()).isEmpty();
      assertThat(info.template()).isEqualTo("host");
      assertThat(info.tier()).isEqualTo("container");
      assertThat(info.cpus()).isEqualTo(0.5);
      assertThat(info.memoryMb()).isEqualTo(256);
      assertThat(info.maxProcesses()).isEqualTo(100);
      assertThat(info.labels()).containsExactly(Map.entry("team", "web"));
      assertThat(info.createdAt())
          .isBetween(Instant.now().minus(Duration.ofMinutes(1)), Instant.now());
      assertThat(info.startedAt()).isPresent();
    }
  }

  @Test
  void a_create_answers_201_with_the_place_of_the_new_sandbox() throws Exception {
    try (var api = new RawApi(server)) {
      var reply = api.post("/api/v1/sandboxes", "{}");
      String id = RawApi.parse(reply).path("id").asString();
      assertThat(reply.statusCode()).isEqualTo(201);
      assertThat(reply.headers().firstValue("Location")).contains("/api/v1/sandboxes/" + id);
      server.cove().sandboxes().delete(id);
    }
  }

  @Test
  void a_sandbox_is_found_by_its_id_and_by_its_name() {
    try (Sandbox box = server.create(CreateOptions.defaults().name("Büro & Küche/2"))) {
      assertThat(server.cove().sandboxes().require(box.id()).id()).isEqualTo(box.id());
      assertThat(server.cove().sandboxes().require("Büro & Küche/2").id()).isEqualTo(box.id());
      assertThat(server.cove().sandboxes().find("another name")).isEmpty();
    }
  }

  @Test
  void a_list_shows_only_sandboxes_that_have_all_the_labels() {
    var plain = CreateOptions.defaults().label("suite", "labels");
    try (Sandbox both = server.create(plain.label("team", "web").label("env", "ci"));
        Sandbox one = server.create(plain.label("team", "web"));
        Sandbox none = server.create(plain)) {
      assertThat(listed(Map.of("suite", "labels")))
          .containsExactlyInAnyOrder(both.id(), one.id(), none.id());
      assertThat(listed(Map.of("suite", "labels", "team", "web")))
          .containsExactlyInAnyOrder(both.id(), one.id());
      assertThat(listed(Map.of("team", "web", "env", "ci"))).containsExactly(both.id());
      assertThat(listed(Map.of("team", "we"))).isEmpty();
    }
  }

  @Test
  void a_long_list_comes_in_pages_that_miss_nothing_and_repeat_nothing() throws Exception {
    List<Sandbox> boxes =
        AtOnce.times(5, _ -> server.create(CreateOptions.defaults().label("suite", "pages")));
    try (var api = new RawApi(server)) {
      var seen = new ArrayList<String>();
      String cursor = "";
      for (int page = 0; page < 3; page++) {
        var reply = api.get("/api/v1/sandboxes?label=suite=pages&limit=2" + cursor);
        var body = RawApi.parse(reply);
        body.path("items").forEach(item -> seen.add(item.path("id").asString()));
        assertThat(body.has("nextCursor")).as("page %d has a next one", page).isEqualTo(page < 2);
        cursor = "&cursor=" + body.path("nextCursor").asString("");
      }
      assertThat(seen)
          .containsExactlyInAnyOrderElementsOf(boxes.stream().map(Sandbox::id).toList());
    } finally {
      boxes.forEach(Sandbox::close);
    }
  }

  @Test
  void labels_are_merged_and_removed_one_by_one() {
    try (Sandbox box = server.create(CreateOptions.defaults().label("a", "1").label("b", "2"))) {
      assertThat(box.label(Map.of("b", "3", "c", "4")).labels())
          .isEqualTo(Map.of("a", "1", "b", "3", "c", "4"));
      assertThat(box.removeLabel("a").labels()).isEqualTo(Map.of("b", "3", "c", "4"));
      assertThat(box.fetchInfo().labels()).isEqualTo(Map.of("b", "3", "c", "4"));
    }
  }

  @Test
  void a_deleted_sandbox_is_gone_and_its_name_is_free_again() {
    Sandbox first = server.create(CreateOptions.defaults().name("phoenix"));
    first.delete();
    assertThat(server.cove().sandboxes().find(first.id())).isEmpty();
    assertRefused(404, "not_found", () -> server.cove().sandboxes().delete(first.id()));
    assertRefused(404, "not_found", () -> first.exec("true"));
    try (Sandbox second = server.create(CreateOptions.defaults().name("phoenix"))) {
      assertThat(second.id()).isNotEqualTo(first.id());
      assertThat(server.cove().sandboxes().require("phoenix").id()).isEqualTo(second.id());
    }
  }

  @Test
  void a_name_that_is_taken_is_refused_and_the_holder_keeps_it() {
    try (Sandbox box = server.create(CreateOptions.defaults().name("only one"))) {
      assertRefused(
          409, "conflict", () -> server.create(CreateOptions.defaults().name("only one")).close());
      assertThat(server.cove().sandboxes().require("only one").id()).isEqualTo(box.id());
    }
  }

  @Test
  void a_hundred_creates_with_one_key_at_once_make_one_sandbox() throws Exception {
    var wanted = CreateOptions.defaults().label("suite", "idempotent").idempotencyKey("order-4711");
    List<String> ids = AtOnce.times(100, _ -> server.create(wanted).detach().id());
    assertThat(ids).hasSize(100).containsOnly(ids.getFirst());
    assertThat(listed(Map.of("suite", "idempotent"))).containsExactly(ids.getFirst());
    server.cove().sandboxes().delete(ids.getFirst());
  }

  @Test
  void a_repeated_create_says_that_it_is_a_repetition() throws Exception {
    try (var api = new RawApi(server)) {
      var first = api.post("/api/v1/sandboxes", "{}", "Idempotency-Key", "twice");
      var second = api.post("/api/v1/sandboxes", "{}", "Idempotency-Key", "twice");
      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.headers().firstValue("Idempotent-Replay")).isEmpty();
      assertThat(second.statusCode()).isEqualTo(200);
      assertThat(second.headers().firstValue("Idempotent-Replay")).isEqualTo(Optional.of("true"));
      String id = RawApi.parse(first).path("id").asString();
      assertThat(RawApi.parse(second).path("id").asString()).isEqualTo(id);
      server.cove().sandboxes().delete(id);
    }
  }

  @Test
  void the_same_key_for_another_sandbox_is_a_conflict() {
    var wanted = CreateOptions.defaults().idempotencyKey("one-key");
    try (Sandbox _ = server.create(wanted)) {
      assertRefused(409, "conflict", () -> server.create(wanted.memoryMb(333)).close());
    }
  }

  @Test
  void a_key_that_is_too_long_is_refused() {
    var wanted = CreateOptions.defaults().idempotencyKey("k".repeat(129));
    assertRefused(400, "invalid_request", () -> server.create(wanted).close());
  }

  @Test
  void an_unknown_template_or_tier_is_refused_and_makes_nothing() {
    var suite = CreateOptions.defaults().label("suite", "unknown");
    assertRefused(404, "not_found", () -> server.create(suite.template("windows-3.11")).close());
    assertRefused(400, "invalid_request", () -> server.create(suite.tier("paper-bag")).close());
    assertThat(listed(Map.of("suite", "unknown"))).isEmpty();
  }

  @Test
  void fifty_creates_at_once_all_succeed_and_can_be_used() throws Exception {
    List<Sandbox> boxes =
        AtOnce.times(50, i -> server.create(CreateOptions.defaults().label("n", "" + i)));
    try {
      assertThat(boxes.stream().map(Sandbox::id).distinct()).hasSize(50);
      List<String> names =
          AtOnce.times(50, i -> boxes.get(i).exec("cat", "/etc/hostname").stdout().strip());
      assertThat(names).isEqualTo(boxes.stream().map(Sandbox::id).toList());
    } finally {
      AtOnce.times(
          50,
          i -> {
            boxes.get(i).close();
            return i;
          });
    }
  }

  @Test
  void variables_given_at_create_reach_every_command_and_are_never_told() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().env("TOKEN", "s3cr3t-4711"));
        var api = new RawApi(server)) {
      assertThat(box.exec("sh", "-c", "echo $TOKEN").stdout()).isEqualTo("s3cr3t-4711\n");
      assertThat(box.exec(Command.shell("echo $TOKEN").user("root")).stdout())
          .isEqualTo("s3cr3t-4711\n");
      assertThat(api.get("/api/v1/sandboxes/" + box.id()).body()).doesNotContain("s3cr3t");
      assertThat(api.get("/api/v1/sandboxes").body()).doesNotContain("s3cr3t");
    }
  }

  private static List<String> listed(Map<String, String> labels) {
    return server.cove().sandboxes().list(labels).stream().map(SandboxInfo::id).toList();
  }
}
