package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Difference;
import dev.cove.sdk.FileChange;
import dev.cove.sdk.Sandbox;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What changed between two states, no more and no less. */
class CheckpointDiffTest {
  private static final String UNKNOWN = "c0000000000000000000";
  private static final int MANY = 100_000;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static void root(Sandbox box, String script) {
    assertThat(box.exec(Command.shell("set -e; " + script).user("root")).exitCode()).isZero();
  }

  private static List<String> told(Difference difference) {
    assertThat(difference.truncated()).isFalse();
    return difference.items().stream()
        .map(one -> one.kind() + (one.content() ? " " : " (same content) ") + one.path())
        .toList();
  }

  private static List<String> diff(Checkpoint from, Checkpoint to) {
    return told(server.cove().checkpoints().diff(from.id(), to.id(), MANY));
  }

  @Test
  void every_kind_of_change_is_told_and_nothing_else() {
    try (Sandbox box = server.create()) {
      root(
          box,
          """
          mkdir -p /srv/a/sub /srv/gone/deep /srv/again /srv/fresh.d
          echo same > /srv/a/same; echo old > /srv/a/text; echo moded > /srv/a/moded
          echo owned > /srv/a/owned; ln -s one /srv/a/link; echo file > /srv/a/becomes
          echo touched > /srv/a/touched; echo x > /srv/gone/deep/x; echo kept > /srv/again/kept
          echo lost > /srv/again/lost; echo 1 > /srv/a/sub/one
          """);
      Checkpoint before = box.checkpoint();
      root(
          box,
          """
          echo new > /srv/a/text; chmod 600 /srv/a/moded; chown 1000:1000 /srv/a/owned
          ln -sfn two /srv/a/link; rm /srv/a/becomes; mkdir /srv/a/becomes; echo i > /srv/a/becomes/in
          touch -d 2001-01-01 /srv/a/touched; cat /srv/a/same > /srv/a/copy; rm -rf /srv/gone
          rm -rf /srv/again; mkdir /srv/again; echo kept > /srv/again/kept
          mkdir -p /srv/fresh/deep; echo f > /srv/fresh/deep/f
          echo more > /usr/lib/cove-was-here; rm /usr/bin/env
          """);
      Checkpoint after = box.checkpoint();
      assertThat(diff(before, after))
          .containsExactly(
              "type-changed /srv/a/becomes",
              "added /srv/a/becomes/in",
              "added /srv/a/copy",
              "changed /srv/a/link",
              "changed (same content) /srv/a/moded",
              "changed (same content) /srv/a/owned",
              "changed /srv/a/text",
              "deleted /srv/again/lost",
              "added (same content) /srv/fresh",
              "added (same content) /srv/fresh/deep",
              "added /srv/fresh/deep/f",
              "deleted (same content) /srv/gone",
              "deleted (same content) /srv/gone/deep",
              "deleted /srv/gone/deep/x",
              "deleted /usr/bin/env",
              "added /usr/lib/cove-was-here");
      assertThat(diff(after, before))
          .contains("deleted /srv/a/copy", "added /usr/bin/env", "added /srv/gone/deep/x")
          .hasSize(16);
      assertThat(diff(before, before)).isEmpty();

      FileChange owned =
          server.cove().checkpoints().diff(before.id(), after.id(), MANY).items().stream()
              .filter(one -> one.path().equals("/srv/a/owned"))
              .findFirst()
              .orElseThrow();
      assertThat(owned.before().orElseThrow().uid()).isZero();
      assertThat(owned.after().orElseThrow().uid()).isEqualTo(1000);
      assertThat(owned.after().orElseThrow().mode()).isEqualTo("0644");
    }
  }

  @Test
  void states_that_parted_long_ago_are_compared_through_what_they_have_in_common() {
    try (Sandbox box = server.create()) {
      root(box, "mkdir /srv/w; for i in 1 2 3 4 5; do echo $i > /srv/w/$i; done");
      box.checkpoint();
      try (Sandbox child = box.fork()) {
        root(box, "rm -rf /srv/w; mkdir /srv/w; echo 1 > /srv/w/1; echo zwei > /srv/w/2");
        box.checkpoint();
        root(box, "echo 3 > /srv/w/3");
        Checkpoint one = box.checkpoint();
        root(child, "rm /srv/w/3; echo sechs > /srv/w/6");
        Checkpoint other = child.checkpoint();
        assertThat(diff(one, other))
            .containsExactly(
                "changed /srv/w/2",
                "deleted /srv/w/3",
                "added /srv/w/4",
                "added /srv/w/5",
                "added /srv/w/6");
      }
    }
  }

  @Test
  void a_large_file_that_differs_in_its_last_byte_is_found() {
    try (Sandbox box = server.create()) {
      root(
          box,
          "head -c 9000000 /dev/urandom > /srv/big; cp /srv/big /srv/other; touch -r / /srv/big");
      Checkpoint before = box.checkpoint();
      root(
          box,
          "printf '\\001' | dd of=/srv/big bs=1 seek=8999999 conv=notrunc 2>/dev/null;"
              + " if cmp -s /srv/big /srv/other; then printf '\\002' |"
              + " dd of=/srv/big bs=1 seek=8999999 conv=notrunc 2>/dev/null; fi;"
              + " touch -r / /srv/big; cp /srv/other /srv/again; mv /srv/again /srv/other");
      Checkpoint after = box.checkpoint();
      assertThat(diff(before, after)).containsExactly("changed /srv/big");
    }
  }

  @Test
  void a_sandbox_is_compared_as_it_is_now_and_stands_where_it_stood() {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/a", "1");
      Checkpoint kept = box.checkpoint();
      var checkpoints = server.cove().checkpoints();
      assertThat(told(checkpoints.diffWithSandbox(kept.id(), box.id(), MANY))).isEmpty();
      box.files().write("/home/user/b", "2");
      var sleeping = box.spawn(Command.of("sleep", "60"));
      for (int i = 0; i < 3; i++) {
        assertThat(told(checkpoints.diffWithSandbox(kept.id(), box.id(), MANY)))
            .containsExactly("added /home/user/b");
      }
      assertThat(box.requireProcess(sleeping.processId()).running()).isTrue();
      assertThat(box.checkpoints()).extracting(Checkpoint::id).containsExactly(kept.id());
      box.kill(sleeping.processId());
      assertThat(box.checkpoint().layers()).isEqualTo(kept.layers() + 1);
    }
  }

  @Test
  void a_long_answer_is_cut_and_says_so() {
    try (Sandbox box = server.create()) {
      Checkpoint before = box.checkpoint();
      root(box, "mkdir /srv/m; cd /srv/m; for i in $(seq 100 299); do echo $i > $i; done");
      Checkpoint after = box.checkpoint();
      Difference some = server.cove().checkpoints().diff(before.id(), after.id(), 50);
      assertThat(some.truncated()).isTrue();
      assertThat(some.items()).hasSize(50);
      assertThat(some.items().getLast().path()).isEqualTo("/srv/m/148");
      Difference all = server.cove().checkpoints().diff(before.id(), after.id(), 201);
      assertThat(all.truncated()).isFalse();
      assertThat(all.items()).hasSize(201);
    }
  }

  @Test
  void odd_questions_are_refused_in_words() {
    try (Sandbox box = server.create()) {
      String id = box.checkpoint().id();
      var checkpoints = server.cove().checkpoints();
      assertRefused(404, "not_found", () -> checkpoints.diff(UNKNOWN, id));
      assertRefused(404, "not_found", () -> checkpoints.diff(id, UNKNOWN));
      assertRefused(404, "not_found", () -> checkpoints.diffWithSandbox(id, "nobody", 10));
      assertRefused(400, "invalid_request", () -> checkpoints.diff(id, id, 0));
      assertRefused(400, "invalid_request", () -> checkpoints.diff(id, id, 100_001));
    }
  }

  @Test
  void the_command_line_shows_what_changed() throws Exception {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/a", "1");
      Checkpoint before = box.checkpoint();
      box.files().write("/home/user/a", "2");
      box.files().chmod("/home/user/a", "0600");
      box.files().write("/home/user/b", "new");
      assertThat(cli().run("checkpoint", "diff", before.id()).succeeded().stdout())
          .isEqualTo("M /home/user/a  mode 0644 -> 0600\nA /home/user/b\n");
      Checkpoint after = box.checkpoint();
      assertThat(
              cli()
                  .run("checkpoint", "diff", "--name-only", after.id(), before.id())
                  .succeeded()
                  .stdout())
          .isEqualTo("/home/user/a\n/home/user/b\n");
      JsonNode json =
          JsonMapper.shared()
              .readTree(
                  cli()
                      .run("checkpoint", "diff", "--json", before.id(), after.id())
                      .succeeded()
                      .stdout());
      assertThat(json.get(1).path("kind").asString()).isEqualTo("added");
      assertThat(json.get(1).path("after").path("size").asInt()).isEqualTo(3);
      assertThat(cli().run("checkpoint", "diff", UNKNOWN).exitCode()).isEqualTo(1);
      assertThat(cli().run("checkpoint", "diff", before.id(), after.id(), "--box", "x").exitCode())
          .isEqualTo(2);
    }
  }

  private static Cli cli() {
    return Cli.of(server);
  }
}
