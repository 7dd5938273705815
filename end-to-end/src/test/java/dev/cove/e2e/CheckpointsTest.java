package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Fork;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Keeping the state of a sandbox, going back to it, and going on from it in several. */
class CheckpointsTest {
  private static final String FILE = "/home/user/work";
  private static final String UNKNOWN = "c0000000000000000000";

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  @Test
  void a_checkpoint_says_what_it_is() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "x".repeat(100_000));
      Checkpoint made = box.checkpoint("first try");
      assertThat(made.id()).matches("c[a-z0-9]{19}");
      assertThat(made.sandboxId()).isEqualTo(box.id());
      assertThat(made.name()).isEqualTo("first try");
      assertThat(made.reason()).isEqualTo("asked");
      assertThat(made.createdAt())
          .isBetween(Instant.now().minus(Duration.ofMinutes(1)), Instant.now());
      assertThat(made.template()).isEqualTo("host");
      assertThat(made.bytes()).isGreaterThanOrEqualTo(100_000);
      assertThat(made.frozen()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
      assertThat(made.memory()).as("containers keep files only").isFalse();
      assertThat(made.layers()).isPositive();
      assertThat(made.digest()).as("it comes a moment later").isEmpty();
      Checkpoint later = awaitDigest(made);
      assertThat(later.digest().orElseThrow()).matches("sha256:[0-9a-f]{64}");
      assertThat(later).usingRecursiveComparison().ignoringFields("digest").isEqualTo(made);
      assertThat(box.checkpoint().name()).isEmpty();
    }
  }

  private static Checkpoint awaitDigest(Checkpoint checkpoint) {
    return Awaitility.await()
        .until(
            () -> server.cove().checkpoints().require(checkpoint.id()),
            found -> found.digest().isPresent());
  }

  @Test
  void a_restore_brings_back_in_place_what_was_deleted_and_can_itself_be_undone() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "before");
      Checkpoint kept = box.checkpoint();
      box.files().remove(FILE);
      box.files().write(FILE + ".new", "after");

      String undo = box.restore(kept.id());
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      assertThat(box.files().readString(FILE)).isEqualTo("before");
      assertThat(box.files().exists(FILE + ".new")).isFalse();
      assertThat(box.exec("cat", FILE).stdout()).isEqualTo("before");
      assertThat(box.exec("uname", "-n").stdout().strip()).isEqualTo(box.id());
      assertThat(server.cove().checkpoints().require(undo).reason()).isEqualTo("before-restore");

      box.restore(undo);
      assertThat(box.files().exists(FILE)).isFalse();
      assertThat(box.files().readString(FILE + ".new")).isEqualTo("after");
    }
  }

  @Test
  void a_restore_ends_what_runs_and_forgets_what_was_in_memory() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "kept");
      Checkpoint kept = box.checkpoint();
      for (String what : List.of("sleep 600 &", "echo x > /dev/shm/x", "ipcmk -M 4096")) {
        box.files().write(FILE, what);
        assertThat(box.exec("sh", "-c", what + " >/dev/null 2>&1 </dev/null").exitCode()).isZero();
        box.restore(kept.id());
        String look =
            "cat "
                + FILE
                + "; ls /dev/shm; ipcs -m | grep -c 0x; cat /proc/[0-9]*/comm | grep -c sleep";
        assertThat(box.exec("sh", "-c", look).stdout()).as(what).isEqualTo("kept0\n0\n");
      }
    }
  }

  @Test
  void one_checkpoint_can_be_restored_again_and_again() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "clean");
      Checkpoint kept = box.checkpoint();
      for (int i = 0; i < 3; i++) {
        box.files().write(FILE, "dirty " + i);
        box.restore(kept.id());
        assertThat(box.files().readString(FILE)).isEqualTo("clean");
      }
    }
  }

  @Test
  void checkpoints_are_listed_by_sandbox_with_the_newest_last() {
    try (Sandbox box = server.create();
        Sandbox other = server.create()) {
      String first = box.checkpoint("one").id();
      String foreign = other.checkpoint().id();
      String second = box.checkpoint("two").id();
      assertThat(box.checkpoints()).extracting(Checkpoint::id).containsExactly(first, second);
      assertThat(other.checkpoints()).extracting(Checkpoint::id).containsExactly(foreign);
      assertThat(everyId()).contains(first, foreign, second);
    }
  }

  @Test
  void programs_that_run_during_a_checkpoint_run_on() {
    String script = "i=0; while :; do i=$((i+1)); echo $i > /home/user/count; sleep 0.01; done";
    try (Sandbox box = server.create()) {
      ProcessInfo counting = box.spawn(Command.shell(script));
      Awaitility.await("the program to count").until(() -> count(box) > 3);
      Checkpoint kept = box.checkpoint();
      assertThat(kept.copied()).isTrue();
      assertThat(box.requireProcess(counting.processId()).running()).isTrue();
      int then = count(box);
      Awaitility.await("the program to count on").until(() -> count(box) > then + 3);
      try (Sandbox child = server.create(CreateOptions.defaults().checkpoint(kept.id()))) {
        assertThat(child.files().readString("/home/user/count").strip()).matches("[0-9]*");
        assertThat(child.processes()).isEmpty();
      }
    }
  }

  /** Nothing stands in the file for a moment between two numbers. */
  private static int count(Sandbox box) {
    if (!box.files().exists("/home/user/count")) {
      return 0;
    }
    String text = box.files().readString("/home/user/count").strip();
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  @Test
  void forks_share_what_the_parent_wrote_and_are_machines_of_their_own() {
    var wanted = CreateOptions.defaults().name("parent").memoryMb(192);
    try (Sandbox parent = server.create(wanted)) {
      parent.files().write(FILE, "inherited");
      List<Fork> forks = parent.fork(2);
      assertThat(forks).hasSize(2);
      try (Sandbox one = forks.getFirst().sandbox();
          Sandbox other = forks.getLast().sandbox()) {
        var family = List.of(parent, one, other);
        for (Sandbox child : List.of(one, other)) {
          assertThat(child.info().parent()).contains(parent.id());
          assertThat(child.fetchInfo().state()).isEqualTo("running");
          assertThat(child.info().memoryMb()).isEqualTo(192);
          assertThat(child.files().readString(FILE)).isEqualTo("inherited");
          assertThat(child.exec("uname", "-n").stdout().strip()).isEqualTo(child.id());
          assertThat(child.files().readString("/etc/hostname").strip()).isEqualTo(child.id());
        }
        assertThat(family).extracting(Sandbox::id).doesNotHaveDuplicates();
        assertThat(family)
            .extracting(box -> box.files().readString("/etc/machine-id").strip())
            .doesNotHaveDuplicates()
            .allMatch(id -> id.matches("[0-9a-f]{32}"));

        one.files().write(FILE, "changed by one");
        assertThat(other.files().readString(FILE)).isEqualTo("inherited");
        assertThat(parent.files().readString(FILE)).isEqualTo("inherited");
        assertThat(parent.info().parent()).isEmpty();
      }
    }
  }

  @Test
  void ten_forks_are_made_in_one_call_and_outlive_their_parent() {
    var children = new ArrayList<Sandbox>();
    try {
      try (Sandbox parent = server.create()) {
        parent.files().write(FILE, "of ten");
        parent.fork(10).forEach(fork -> children.add(fork.sandbox()));
      }
      assertThat(children).extracting(Sandbox::id).hasSize(10).doesNotHaveDuplicates();
      for (Sandbox child : children) {
        assertThat(child.exec("cat", FILE).stdout()).isEqualTo("of ten");
      }
    } finally {
      children.forEach(Sandbox::close);
    }
  }

  @Test
  void a_fork_can_be_forked() {
    try (Sandbox parent = server.create();
        Sandbox child = parent.fork()) {
      child.files().write(FILE, "by the child");
      try (Sandbox grandchild = child.fork()) {
        assertThat(grandchild.info().parent()).contains(child.id());
        assertThat(grandchild.files().readString(FILE)).isEqualTo("by the child");
      }
      assertThat(parent.files().exists(FILE)).isFalse();
    }
  }

  @Test
  void a_fork_of_none_or_of_too_many_is_refused_and_makes_nothing() {
    try (Sandbox box = server.create()) {
      assertRefused(400, "invalid_request", () -> box.fork(0));
      assertRefused(400, "invalid_request", () -> box.fork(1001));
      assertThat(server.cove().sandboxes().list()).hasSize(1);
      assertThat(box.checkpoints()).isEmpty();
    }
  }

  @Test
  void a_sandbox_can_be_made_from_a_checkpoint_after_its_source_was_deleted() {
    Checkpoint kept;
    String source;
    try (Sandbox box = server.create(CreateOptions.defaults().memoryMb(192))) {
      source = box.id();
      box.files().write(FILE, "survives");
      kept = box.checkpoint();
    }
    assertThat(everyId()).contains(kept.id());
    try (Sandbox box = server.create(CreateOptions.defaults().checkpoint(kept.id()))) {
      assertThat(box.id()).isNotEqualTo(source);
      assertThat(box.info().parent()).contains(source);
      assertThat(box.info().template()).isEqualTo("host");
      assertThat(box.info().memoryMb()).isEqualTo(192);
      assertThat(box.files().readString(FILE)).isEqualTo("survives");
    }
  }

  @Test
  void who_names_a_checkpoint_may_name_a_tier_and_no_template_or_disk() {
    try (Sandbox box = server.create()) {
      var wanted = CreateOptions.defaults().checkpoint(box.checkpoint().id());
      assertRefused(400, "invalid_request", () -> server.create(wanted.template("host")).close());
      assertRefused(400, "invalid_request", () -> server.create(wanted.diskMb(512)).close());
      try (Sandbox other = server.create(wanted.tier("container"))) {
        assertThat(other.fetchInfo().tier()).isEqualTo("container");
      }
    }
  }

  @Test
  void a_deleted_checkpoint_is_gone_and_what_came_from_it_stays() {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "kept");
      String id = box.checkpoint().id();
      try (Sandbox child = server.create(CreateOptions.defaults().checkpoint(id))) {
        server.cove().checkpoints().delete(id);
        assertThat(server.cove().checkpoints().find(id)).isEmpty();
        assertThat(box.checkpoints()).isEmpty();
        assertRefused(404, "not_found", () -> box.restore(id));
        assertThat(box.files().readString(FILE)).isEqualTo("kept");
        assertThat(child.files().readString(FILE)).isEqualTo("kept");
      }
    }
  }

  @Test
  void an_unknown_checkpoint_is_not_found() {
    try (Sandbox box = server.create()) {
      assertRefused(404, "not_found", () -> server.cove().checkpoints().require(UNKNOWN));
      assertRefused(404, "not_found", () -> server.cove().checkpoints().delete(UNKNOWN));
      assertRefused(404, "not_found", () -> box.restore(UNKNOWN));
      assertThat(server.cove().checkpoints().find(UNKNOWN)).isEmpty();
      assertThat(box.fetchInfo().state()).isEqualTo("running");
    }
  }

  @Test
  void the_command_line_keeps_lists_restores_and_removes() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().name("by hand"))) {
      box.files().write(FILE, "before");
      String id = cli().run("checkpoint", "by hand", "--name", "mine").succeeded().stdout().strip();
      assertThat(server.cove().checkpoints().require(id).name()).isEqualTo("mine");
      assertThat(cli().run("checkpoint", "ls", "by hand").succeeded().stdout())
          .contains(id)
          .contains("mine")
          .contains("asked");
      JsonNode all = json("checkpoint", "ls", "--json");
      assertThat(all.get(all.size() - 1).path("id").asString()).isEqualTo(id);
      JsonNode second = json("checkpoint", "--json", box.id());
      assertThat(second.path("sandbox").asString()).isEqualTo(box.id());

      box.files().write(FILE, "after");
      var restored = cli().run("restore", box.id(), id).succeeded();
      assertThat(restored.stdout()).isEmpty();
      String undo = box.checkpoints().getLast().id();
      assertThat(restored.stderr())
          .isEqualTo(
              "The state before is checkpoint %s; 'cove restore %s %s' brings it back.\n"
                  .formatted(undo, box.id(), undo));
      assertThat(box.files().readString(FILE)).isEqualTo("before");
      cli().run("restore", box.id(), undo).succeeded();
      assertThat(box.files().readString(FILE)).isEqualTo("after");

      var removed = cli().run("checkpoint", "rm", UNKNOWN, id);
      assertThat(removed.exitCode()).isEqualTo(1);
      assertThat(removed.stderr()).startsWith("cove: " + UNKNOWN + ": ").hasLineCount(1);
      assertThat(everyId()).doesNotContain(id);
    }
  }

  @Test
  void the_command_line_forks_and_shows_the_family() throws Exception {
    var family = new ArrayList<Sandbox>();
    try {
      Sandbox parent = server.create(CreateOptions.defaults().name("mother"));
      family.add(parent);
      for (String id :
          cli().run("fork", "--count", "2", "mother").succeeded().stdout().split("\n")) {
        family.add(server.cove().sandboxes().require(id));
      }
      assertThat(family).hasSize(3);
      String grandchild =
          json("fork", "--json", family.getLast().id()).get(0).path("id").asString();
      family.add(server.cove().sandboxes().require(grandchild));
      assertThat(cli().run("tree").succeeded().stdout())
          .containsPattern("(?m)^" + parent.id() + " +mother +running")
          .containsPattern("(?m)^  " + family.get(1).id() + " ")
          .containsPattern("(?m)^  " + family.get(2).id() + " .*\n    " + grandchild + " ");
      JsonNode tree = json("tree", "--json");
      assertThat(tree.size()).isEqualTo(4);
      assertThat(tree.get(0).path("depth").asInt()).isZero();
      parent.delete();
      assertThat(cli().run("tree").succeeded().stdout())
          .containsPattern("(?m)^" + family.get(2).id() + " .*\n  " + grandchild + " ");
    } finally {
      for (Sandbox one : family) {
        server.cove().sandboxes().find(one.id()).ifPresent(Sandbox::delete);
      }
    }
  }

  @Test
  void the_command_line_starts_from_a_checkpoint() throws Exception {
    try (Sandbox box = server.create()) {
      box.files().write(FILE, "from the checkpoint");
      String id = box.checkpoint().id();
      assertThat(cli().run("run", "--checkpoint", id, "--", "cat", FILE).succeeded().stdout())
          .isEqualTo("from the checkpoint");
      String made = cli().run("create", "--checkpoint", id).succeeded().stdout().strip();
      assertThat(server.cove().sandboxes().require(made).info().parent())
          .isEqualTo(Optional.of(box.id()));
      server.cove().sandboxes().delete(made);
    }
  }

  @Test
  void the_command_line_tells_each_failure_in_one_sentence() throws Exception {
    try (Sandbox box = server.create()) {
      for (String[] call :
          new String[][] {
            {"checkpoint", "nobody"},
            {"checkpoint", "ls", "nobody"},
            {"restore", "nobody", UNKNOWN},
            {"restore", box.id(), UNKNOWN},
            {"fork", "nobody"},
            {"fork", "--count", "0", box.id()}
          }) {
        var outcome = cli().run(call);
        assertThat(outcome.exitCode()).as(String.join(" ", call)).isEqualTo(1);
        assertThat(outcome.stdout()).isEmpty();
        assertThat(outcome.stderr()).startsWith("cove: ").hasLineCount(1);
        assertThat(outcome.stderr().strip()).endsWith(".").doesNotContain("Exception");
      }
    }
  }

  private static List<String> everyId() {
    return server.cove().checkpoints().list().stream().map(Checkpoint::id).toList();
  }

  private static JsonNode json(String... args) throws Exception {
    return JsonMapper.shared().readTree(cli().run(args).succeeded().stdout());
  }

  private static Cli cli() {
    return Cli.of(server);
  }
}
