package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CheckpointRules;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checkpoints that come and go by themselves. */
class CheckpointRulesTest {
  private static final String FILE = "/home/user/work";

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static CheckpointRules usual() {
    return CheckpointRules.usual();
  }

  private static List<String> reasons(Sandbox box) {
    return box.checkpoints().stream().map(Checkpoint::reason).toList();
  }

  @Test
  void nothing_happens_by_itself_until_somebody_says_so() {
    try (Sandbox box = server.create()) {
      assertThat(box.checkpointRules()).isEqualTo(usual());
      box.exec("true");
      assertThat(box.checkpoints()).isEmpty();
    }
  }

  @Test
  void before_each_command_the_state_is_kept_however_the_command_is_started() throws Exception {
    try (Sandbox box = server.create()) {
      box.setCheckpointRules(usual().withBeforeExec(true));
      box.files().write(FILE, "one");
      box.exec("sh", "-c", "echo two > " + FILE);
      assertThat(reasons(box)).containsExactly("before-exec");
      ProcessInfo process = box.spawn(Command.shell("echo three > " + FILE));
      Awaitility.await().until(() -> !box.requireProcess(process.processId()).running());
      assertThat(box.checkpoints()).hasSize(2);
      try (var running = box.start(Command.shell("echo four > " + FILE))) {
        assertThat(running.waitFor().exitCode()).isZero();
      }
      assertThat(reasons(box)).containsExactly("before-exec", "before-exec", "before-exec");
      List<String> kept =
          box.checkpoints().stream()
              .map(one -> server.cove().checkpoints().files(one.id()).readString(FILE).strip())
              .toList();
      assertThat(kept).containsExactly("one", "two", "three");
    }
  }

  @Test
  void no_state_is_kept_twice() {
    try (Sandbox box = server.create()) {
      box.setCheckpointRules(usual().withBeforeExec(true));
      box.checkpoint("by hand");
      box.exec("true");
      assertThat(reasons(box)).containsExactly("asked");
      box.exec("true");
      assertThat(reasons(box)).containsExactly("asked", "before-exec");
    }
  }

  @Test
  void of_those_that_nobody_asked_for_the_newest_are_kept() {
    try (Sandbox box = server.create()) {
      box.setCheckpointRules(usual().withBeforeExec(true).withKeepAutomatic(3));
      String named = box.checkpoint("mine").id();
      for (int i = 0; i < 6; i++) {
        box.exec("sh", "-c", "echo " + i + " > " + FILE);
      }
      assertThat(reasons(box))
          .containsExactly("asked", "before-exec", "before-exec", "before-exec");
      assertThat(box.checkpoints().getFirst().id()).isEqualTo(named);
      String newest = box.checkpoints().getLast().id();
      assertThat(server.cove().checkpoints().files(newest).readString(FILE)).isEqualTo("4\n");
      box.setCheckpointRules(usual().withKeepAutomatic(1));
      assertThat(box.checkpoints()).extracting(Checkpoint::id).containsExactly(named, newest);
    }
  }

  @Test
  void ten_states_from_before_a_restore_are_kept() {
    try (Sandbox box = server.create()) {
      String kept = box.checkpoint("clean").id();
      String undo = "";
      for (int i = 0; i < 12; i++) {
        box.files().write(FILE, "try " + i);
        undo = box.restore(kept);
      }
      assertThat(box.checkpoints()).hasSize(11);
      assertThat(box.checkpoints().getLast().id()).isEqualTo(undo);
      box.restore(undo);
      assertThat(box.files().readString(FILE)).isEqualTo("try 11");
    }
  }

  @Test
  void a_command_whose_checkpoint_fails_is_not_started() throws Exception {
    try (Sandbox box = server.create()) {
      box.setCheckpointRules(usual().withBeforeExec(true));
      box.files().write(FILE, "safe");
      Path layers = server.home().resolve("data/engine/sealed");
      Path aside = server.home().resolve("data/engine/aside");
      Files.move(layers, aside);
      try {
        assertThatExceptionOfType(CoveApiException.class)
            .isThrownBy(() -> box.exec("rm", FILE))
            .satisfies(refusal -> {
              assertThat(refusal.status()).isEqualTo(503);
              assertThat(refusal.detail()).contains("not started").contains("beforeExec");
            });
      } finally {
        Files.move(aside, layers);
      }
      assertThat(box.files().readString(FILE)).isEqualTo("safe");
      assertThat(box.exec("cat", FILE).stdout()).isEqualTo("safe");
    }
  }

  @Test
  void rules_outlive_the_server_and_go_with_their_sandbox() throws Exception {
    var rules = new CheckpointRules(true, OptionalInt.of(60), 7, OptionalInt.of(48), true);
    Sandbox box = server.create().detach();
    assertThat(box.setCheckpointRules(rules)).isEqualTo(rules);
    server.kill();
    server.start();
    Sandbox again = server.cove().sandboxes().require(box.id());
    assertThat(again.checkpointRules()).isEqualTo(rules);
    again.delete();
    assertRefused(404, "not_found", again::checkpointRules);
  }

  @Test
  void rules_may_be_given_from_the_start_and_outlive_the_server() throws Exception {
    CheckpointRules rules = usual().withBeforeExec(true).withKeepAutomatic(3).withFromInside(true);
    var options = CreateOptions.defaults().checkpointRules(rules);
    Sandbox box = server.create(options).detach();
    assertThat(box.checkpointRules()).isEqualTo(rules);
    box.files().write(FILE, "one");
    box.exec("cove-checkpoint");
    assertThat(reasons(box)).containsExactly("before-exec", "inside");
    server.kill();
    server.start();
    Sandbox again = server.cove().sandboxes().require(box.id());
    assertThat(again.checkpointRules()).isEqualTo(rules);
    try (Sandbox child = again.fork()) {
      assertThat(child.checkpointRules()).isEqualTo(rules);
      assertThat(child.exec("cove-checkpoint").exitCode()).isZero();
      assertThat(reasons(child)).contains("inside");
    }
    String kept = again.checkpoint().id();
    try (Sandbox usual = server.create(CreateOptions.defaults().checkpoint(kept));
        Sandbox ruled = server.create(options.checkpoint(kept))) {
      assertThat(usual.checkpointRules()).isEqualTo(usual());
      assertThat(ruled.checkpointRules()).isEqualTo(rules);
    }
    again.delete();
  }

  @Test
  void a_sandbox_with_senseless_rules_is_not_made() {
    var options = CreateOptions.defaults().name("senseless");
    for (CreateOptions wrong :
        List.of(
            options.checkpointRules(usual().withKeepAutomatic(0)),
            options
                .image("registry.invalid/nothing:1")
                .checkpointRules(usual().withMaxAgeHours(OptionalInt.of(0))))) {
      assertRefused(400, "invalid_request", () -> server.create(wrong));
    }
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void a_create_from_a_checkpoint_may_be_repeated() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "kept");
      String kept = box.checkpoint().id();
      var options = CreateOptions.defaults().checkpoint(kept).idempotencyKey("the same " + kept);
      try (Sandbox made = server.create(options)) {
        assertThat(server.create(options).detach().id()).isEqualTo(made.id());
        assertThat(made.files().readString(FILE)).isEqualTo("kept");
        assertRefused(409, "conflict", () -> server.create(options.memoryMb(64)));
        assertRefused(409, "conflict", () -> server.create(options.checkpointRules(usual())));
        String other = box.checkpoint().id();
        assertRefused(409, "conflict", () -> server.create(options.checkpoint(other)));
        server.cove().checkpoints().delete(kept);
        assertThat(server.create(options).detach().id()).isEqualTo(made.id());
      }
      assertRefused(409, "conflict", () -> server.create(options));
    }
  }

  @Test
  void the_command_line_creates_with_rules() throws Exception {
    String id =
        cli()
            .run("create", "--checkpoint-every", "30", "--checkpoint-from-inside", "on")
            .succeeded()
            .stdout()
            .strip();
    try (Sandbox box = server.cove().sandboxes().require(id)) {
      assertThat(box.checkpointRules())
          .isEqualTo(usual().withEveryMinutes(OptionalInt.of(30)).withFromInside(true));
      box.delete();
    }
    assertThat(cli().run("create", "--checkpoint-keep", "0").exitCode()).isEqualTo(1);
    assertThat(cli().run("create", "--checkpoint-before-exec", "maybe").exitCode()).isEqualTo(2);
  }

  @Test
  void senseless_rules_are_refused_and_change_nothing() {
    try (Sandbox box = server.create()) {
      for (CheckpointRules wrong :
          List.of(
              usual().withKeepAutomatic(0),
              usual().withKeepAutomatic(1001),
              usual().withEveryMinutes(OptionalInt.of(0)),
              usual().withEveryMinutes(OptionalInt.of(10_081)),
              usual().withMaxAgeHours(OptionalInt.of(0)))) {
        assertRefused(400, "invalid_request", () -> box.setCheckpointRules(wrong));
      }
      assertThat(box.checkpointRules()).isEqualTo(usual());
    }
  }

  @Test
  void the_command_line_shows_and_changes_rules() throws Exception {
    try (Sandbox box = server.create()) {
      assertThat(cli().run("checkpoint", "rules", box.id()).succeeded().stdout())
          .isEqualTo(
              """
              before each command  off
              every so often       off
              from inside          off
              kept                 the newest 20
              until they are       off
              """);
      cli()
          .run("checkpoint", "rules", box.id(), "--before-exec", "on", "--every", "10")
          .succeeded();
      String json =
          cli()
              .run("checkpoint", "rules", "--json", box.id(), "--every", "off", "--max-age", "5")
              .succeeded()
              .stdout();
      JsonNode rules = JsonMapper.shared().readTree(json);
      assertThat(rules.path("beforeExec").asBoolean()).isTrue();
      assertThat(rules.has("everyMinutes")).isFalse();
      assertThat(rules.path("maxAgeHours").asInt()).isEqualTo(5);
      assertThat(cli().run("checkpoint", "rules", box.id(), "--every", "x").exitCode())
          .isEqualTo(2);
      assertThat(cli().run("checkpoint", "rules", box.id(), "--keep", "0").exitCode()).isEqualTo(1);
      assertThat(cli().run("checkpoint", "rules", "nobody").exitCode()).isEqualTo(1);
    }
  }

  private static Cli cli() {
    return Cli.of(server);
  }
}
