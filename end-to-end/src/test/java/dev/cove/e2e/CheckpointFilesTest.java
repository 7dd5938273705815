package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.StoredFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Looking into a checkpoint without starting it. */
class CheckpointFilesTest {
  private static final String FILE = "/home/user/work/notes.txt";
  private static final String UNKNOWN = "c0000000000000000000";

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @TempDir Path folder;

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static StoredFiles files(Checkpoint checkpoint) {
    return server.cove().checkpoints().files(checkpoint.id());
  }

  private static Checkpoint keep(Sandbox box, String text) {
    box.files().mkdir("/home/user/work");
    box.files().write(FILE, text);
    return box.checkpoint();
  }

  @Test
  void the_files_of_a_checkpoint_are_read_while_its_sandbox_goes_on() throws Exception {
    try (Sandbox box = server.create()) {
      Checkpoint kept = keep(box, "then");
      box.files().write(FILE, "now, and longer");
      assertThat(files(kept).readString(FILE)).isEqualTo("then");
      try (var part = files(kept).read(FILE, 1, 2)) {
        assertThat(part.readAllBytes()).asString().isEqualTo("he");
      }
      assertThat(files(kept).stat(FILE).size()).isEqualTo(4);
      assertThat(files(kept).list("/home/user/work"))
          .extracting(FileInfo::path)
          .containsExactly(FILE);
      assertThat(files(kept).stat("/usr/bin/env").type()).isEqualTo(FileInfo.Type.FILE);
      assertThat(files(kept).exists("/home/user/nothing")).isFalse();
      assertThat(box.files().readString(FILE)).isEqualTo("now, and longer");
    }
  }

  @Test
  void looking_makes_no_sandbox_and_takes_nobodys_place() {
    try (Sandbox box = server.create()) {
      Checkpoint kept = keep(box, "then");
      int before = server.cove().system().sandboxes();
      files(kept).readString(FILE);
      assertThat(server.cove().sandboxes().list())
          .extracting(SandboxInfo::id)
          .containsExactly(box.id());
      assertThat(server.cove().system().sandboxes()).isEqualTo(before);
    }
  }

  @Test
  void a_checkpoint_can_be_looked_into_after_its_sandbox_is_gone() {
    Checkpoint kept;
    try (Sandbox box = server.create()) {
      kept = keep(box, "survives");
    }
    assertThat(files(kept).readString(FILE)).isEqualTo("survives");
  }

  @Test
  void rights_inside_count_as_they_do_in_a_sandbox() {
    try (Sandbox box = server.create()) {
      box.files().as("root").write("/root/secret", "root's");
      Checkpoint kept = box.checkpoint();
      assertRefused(422, "guest_refused", () -> files(kept).readString("/root/secret"));
      assertThat(files(kept).as("root").readString("/root/secret")).isEqualTo("root's");
    }
  }

  @Test
  void more_checkpoints_than_can_be_shown_at_once_are_looked_into_one_after_the_other() {
    try (Sandbox box = server.create()) {
      var kept = new ArrayList<Checkpoint>();
      for (int i = 0; i < 15; i++) {
        kept.add(keep(box, "state " + i));
      }
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < kept.size(); i++) {
          assertThat(files(kept.get(i)).readString(FILE)).isEqualTo("state " + i);
        }
      }
    }
  }

  @Test
  void many_look_at_the_same_moment() throws Exception {
    try (Sandbox box = server.create()) {
      Checkpoint kept = keep(box, "seen by all");
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var all = new ArrayList<Future<String>>();
        for (int i = 0; i < 50; i++) {
          all.add(threads.submit(() -> files(kept).readString(FILE)));
        }
        for (var one : all) {
          assertThat(one.get()).isEqualTo("seen by all");
        }
      }
    }
  }

  @Test
  void what_is_not_there_is_not_found() {
    try (Sandbox box = server.create()) {
      Checkpoint kept = keep(box, "x");
      assertRefused(
          404, "not_found", () -> server.cove().checkpoints().files(UNKNOWN).readString(FILE));
      assertRefused(404, "not_found", () -> files(kept).readString("/nowhere"));
      assertRefused(400, "invalid_request", () -> files(kept).readString("relative"));
      server.cove().checkpoints().delete(kept.id());
      assertRefused(404, "not_found", () -> files(kept).readString(FILE));
    }
  }

  @Test
  void the_command_line_lists_prints_and_copies() throws Exception {
    try (Sandbox box = server.create()) {
      Checkpoint kept = keep(box, "for people");
      box.files().remove(FILE);
      var listed = cli().run("checkpoint", "files", kept.id(), "/home/user").succeeded();
      assertThat(listed.stdout()).startsWith("MODE").contains("work/");
      String json = cli().run("checkpoint", "files", "--json", kept.id()).succeeded().stdout();
      assertThat(JsonMapper.shared().readTree(json).findValuesAsString("name"))
          .contains("usr", "home");
      assertThat(cli().run("checkpoint", "cat", kept.id(), FILE).succeeded().stdout())
          .isEqualTo("for people");
      Path copy = folder.resolve("copy");
      cli().run("cp", kept.id() + ":/home/user/work", copy.toString()).succeeded();
      assertThat(copy.resolve("notes.txt")).hasContent("for people");
      cli().run("cp", kept.id() + ":" + FILE, folder.resolve("one").toString()).succeeded();
      assertThat(Files.readString(folder.resolve("one"))).isEqualTo("for people");
      for (String[] call :
          List.of(
              new String[] {"checkpoint", "cat", UNKNOWN, FILE},
              new String[] {"checkpoint", "files", kept.id(), "/nowhere"},
              new String[] {"cp", UNKNOWN + ":" + FILE, folder.resolve("two").toString()})) {
        var outcome = cli().run(call);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.stderr()).startsWith("cove: ").hasLineCount(1);
      }
    }
  }

  @Test
  void several_sandboxes_begin_with_one_checkpoint() throws Exception {
    var made = new ArrayList<Sandbox>();
    try (Sandbox box = server.create(CreateOptions.defaults().memoryMb(192))) {
      Checkpoint kept = keep(box, "common");
      box.files().write(FILE, "later");
      server.cove().checkpoints().fork(kept.id(), 3).forEach(fork -> made.add(fork.sandbox()));
      String[] ids =
          cli()
              .run("fork", "--checkpoint", kept.id(), "--count", "2")
              .succeeded()
              .stdout()
              .split("\n");
      for (String id : ids) {
        made.add(server.cove().sandboxes().require(id));
      }
      assertThat(made).hasSize(5);
      for (Sandbox one : made) {
        assertThat(one.info().parent()).contains(box.id());
        assertThat(one.info().memoryMb()).isEqualTo(192);
        assertThat(one.files().readString(FILE)).isEqualTo("common");
      }
      assertThat(box.checkpoints()).extracting(Checkpoint::id).containsExactly(kept.id());
      assertRefused(
          400, "invalid_request", () -> server.cove().checkpoints().fork(kept.id(), 1001));
      assertRefused(404, "not_found", () -> server.cove().checkpoints().fork(UNKNOWN, 1));
      assertThat(cli().run("fork").exitCode()).isEqualTo(2);
      assertThat(cli().run("fork", "--checkpoint", kept.id(), box.id()).exitCode()).isEqualTo(2);
    } finally {
      made.forEach(Sandbox::delete);
    }
  }

  @Test
  void a_sandbox_gets_no_deeper_than_can_be_stood_on_however_often_it_is_kept() {
    try (Sandbox box = server.create()) {
      var kept = new ArrayList<Checkpoint>();
      for (int i = 0; i < 60; i++) {
        kept.add(keep(box, "state " + i));
      }
      assertThat(kept.getLast().layers()).isLessThan(30);
      for (int i : new int[] {0, 23, 24, 59}) {
        box.restore(kept.get(i).id());
        assertThat(box.files().readString(FILE)).isEqualTo("state " + i);
      }
      assertThat(box.exec("cat", FILE).stdout()).isEqualTo("state 59");
    }
  }

  private static Cli cli() {
    return Cli.of(server);
  }
}
