package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Keys;
import dev.cove.sdk.Projects.Project;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.Template;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tenants of one server, as operators and they themselves see them. */
class ProjectsTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  private static Cove in(String project) {
    return Cove.connect(server.url(), server.key(), project);
  }

  @Test
  void default_is_always_there_and_names_are_short_and_plain() {
    assertThat(server.cove().projects().list()).extracting(Project::name).contains("default");
    for (String bad : List.of("", "Shop", "-a", "a-", "a_b", "a".repeat(41), "*", "a/b")) {
      assertRefused(400, "invalid_request", () -> server.cove().projects().create(bad));
    }
    String longest = "a".repeat(40);
    assertThat(server.cove().projects().create(longest).name()).isEqualTo(longest);
    assertRefused(409, "conflict", () -> server.cove().projects().create(longest));
    server.cove().projects().delete(longest);
    assertRefused(404, "not_found", () -> server.cove().projects().require(longest));
    assertRefused(409, "conflict", () -> server.cove().projects().delete("default"));
  }

  @Test
  void a_project_goes_only_when_it_has_nothing_any_more() {
    server.cove().projects().create("full");
    Keys.NewKey key = server.cove().keys().create("of full", "full");
    try (Cove full = Cove.connect(server.url(), key.key())) {
      Sandbox box = full.sandboxes().create();
      String checkpoint = box.checkpoint("c").id();
      full.volumes().create("v", 16);
      full.secrets().set("S", "some value".getBytes(StandardCharsets.UTF_8));
      Runnable[] ends = {
        box::close,
        () -> full.checkpoints().delete(checkpoint),
        () -> full.volumes().delete("v"),
        () -> full.secrets().delete("S"),
        () -> full.keys().revoke(key.id())
      };
      for (Runnable end : ends) {
        assertRefused(409, "conflict", () -> server.cove().projects().delete("full"));
        end.run();
      }
      server.cove().projects().delete("full");
      assertRefused(401, "unauthenticated", () -> full.sandboxes().list());
    }
    assertRefused(404, "not_found", () -> server.cove().keys().create("late", "full"));
    try (Cove late = in("full")) {
      assertRefused(404, "not_found", () -> late.sandboxes().create());
    }
    server.cove().projects().create("full");
    try (Cove again = in("full")) {
      assertThat(again.secrets().list()).isEmpty();
      assertThat(again.keys().list()).isEmpty();
    }
    server.cove().projects().delete("full");
  }

  @Test
  void an_operator_acts_in_one_project_and_lists_all() {
    server.cove().projects().create("one");
    try (Cove one = in("one");
        Cove all = in("*");
        Sandbox here = server.create(CreateOptions.defaults().name("same"));
        Sandbox there = one.sandboxes().create(CreateOptions.defaults().name("same"))) {
      assertThat(there.info().project()).isEqualTo("one");
      assertThat(server.cove().sandboxes().require("same").id()).isEqualTo(here.id());
      assertThat(one.sandboxes().require("same").id()).isEqualTo(there.id());
      assertRefused(404, "not_found", () -> server.cove().sandboxes().require(there.id()));
      assertThat(all.sandboxes().list())
          .extracting(SandboxInfo::id)
          .contains(here.id(), there.id());
      assertThat(one.sandboxes().list()).extracting(SandboxInfo::id).containsExactly(there.id());
      assertRefused(400, "invalid_request", () -> all.sandboxes().create());
      assertThat(one.keys().create("made there").project()).contains("one");
      assertThat(server.cove().keys().create("made here").project()).isEmpty();
      // A fork is where its parent is, whoever makes it.
      try (Sandbox child = there.fork()) {
        assertThat(child.info().project()).isEqualTo("one");
      }
    }
  }

  @Test
  void services_logs_and_budgets_of_another_project_are_not_there() throws Exception {
    server.cove().projects().create("stranger");
    try (var api = new RawApi(server);
        Sandbox box =
            server.create(CreateOptions.defaults().name("hers").start("sh", "-c", "sleep 1000"))) {
      for (String name : List.of(box.id(), "hers")) {
        String path = "/api/v1/sandboxes/" + name;
        for (String below : List.of("/services", "/logs", "/budget", "/metrics", "/network")) {
          assertThat(api.getIn("stranger", path + below).statusCode()).as(below).isEqualTo(404);
        }
        assertThat(
                api.post(path + "/services/start/restart", "{}", "Cove-Project", "stranger")
                    .statusCode())
            .isEqualTo(404);
      }
      assertThat(api.get("/api/v1/sandboxes/hers/services").statusCode()).isEqualTo(200);
      assertThat(api.get("/api/v1/sandboxes/hers/logs").statusCode()).isEqualTo(200);
    }
    server.cove().projects().delete("stranger");
  }

  @Test
  void templates_of_default_are_for_all_to_begin_with_and_own_ones_come_first() throws Exception {
    server.cove().projects().create("builder");
    try (var api = new RawApi(server);
        Cove builder = in("builder")) {
      String common = "{\"name\":\"common\",\"from\":\"host\",\"env\":{\"WHOSE\":\"%s\"}}";
      assertThat(api.post("/api/v1/templates", common.formatted("all")).statusCode())
          .isEqualTo(201);
      try (Sandbox box = builder.sandboxes().create(CreateOptions.defaults().template("common"))) {
        assertThat(box.exec("printenv", "WHOSE").stdout()).isEqualTo("all\n");
      }
      assertRefused(404, "not_found", () -> builder.templates().remove("common"));
      assertThat(
              api.post("/api/v1/templates", common.formatted("mine"), "Cove-Project", "builder")
                  .statusCode())
          .isEqualTo(201);
      try (Sandbox own = builder.sandboxes().create(CreateOptions.defaults().template("common"));
          Sandbox box = server.create(CreateOptions.defaults().template("common"))) {
        assertThat(own.exec("printenv", "WHOSE").stdout()).isEqualTo("mine\n");
        assertThat(box.exec("printenv", "WHOSE").stdout()).isEqualTo("all\n");
      }
      builder.templates().remove("common");
      assertThat(builder.templates().list()).extracting(Template::name).contains("common");
      server.cove().templates().remove("common");
      assertThat(builder.templates().list()).extracting(Template::name).doesNotContain("common");
    }
    server.cove().projects().delete("builder");
  }

  @Test
  void projects_outlive_the_server() throws Exception {
    server.cove().projects().create("lasting");
    Keys.NewKey key = server.cove().keys().create("of lasting", "lasting");
    String id;
    try (Cove lasting = Cove.connect(server.url(), key.key())) {
      id = lasting.sandboxes().create(CreateOptions.defaults().name("kept")).id();
      lasting.secrets().set("S", "some value".getBytes(StandardCharsets.UTF_8));
    }
    server.kill();
    server.start();
    try (Cove lasting = Cove.connect(server.url(), key.key())) {
      assertThat(lasting.sandboxes().require("kept").id()).isEqualTo(id);
      assertThat(lasting.secrets().list()).hasSize(1);
      assertThat(server.cove().secrets().list()).isEmpty();
      assertRefused(404, "not_found", () -> server.cove().sandboxes().require("kept"));
      lasting.sandboxes().delete("kept");
      lasting.secrets().delete("S");
    }
  }

  @Test
  void the_command_line_makes_projects_and_acts_in_them() throws Exception {
    Cli operator = Cli.of(server);
    operator.run("project", "create", "shop").succeeded();
    assertThat(operator.run("project", "ls").succeeded().stdout()).contains("shop", "default");
    assertThat(operator.run("project", "show", "shop", "--json").succeeded().stdout())
        .contains("\"name\":\"shop\"");
    String key =
        operator.run("key", "create", "--in", "shop", "clerk").succeeded().stdout().strip();
    String box =
        operator.run("create", "--in", "shop", "--name", "till").succeeded().stdout().strip();
    assertThat(operator.run("ls", "-q").succeeded().stdout()).doesNotContain(box);
    assertThat(operator.run("ls", "-q", "--in", "shop").succeeded().stdout()).contains(box);
    assertThat(operator.run("ls", "--in", "*").succeeded().stdout()).contains(box, "shop");
    assertThat(operator.run("events", "--in", "shop").succeeded().stdout()).contains(box);

    var settings = new HashMap<>(server.environment());
    settings.putAll(Map.of("COVE_URL", server.url().toString(), "COVE_API_KEY", key));
    Cli clerk = Cli.with(settings);
    assertThat(clerk.run("exec", "till", "--", "echo", "hi").succeeded().stdout())
        .isEqualTo("hi\n");
    Cli.Outcome refused = clerk.run("project", "ls");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr()).contains("operators");
    settings.putAll(Map.of("COVE_API_KEY", server.key(), "COVE_PROJECT", "shop"));
    Cli.with(settings).run("rm", "till").succeeded();
    operator.run("project", "rm", "nobody");
    assertThat(operator.run("project", "rm", "shop").exitCode()).as("it has a key").isEqualTo(1);
  }
}
