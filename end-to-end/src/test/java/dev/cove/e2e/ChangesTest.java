package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cove.sdk.ApplyConflictException;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.ApplyResult;
import dev.cove.sdk.Change;
import dev.cove.sdk.ChangePage;
import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.CheckpointRules;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Keys;
import dev.cove.sdk.Project;
import dev.cove.sdk.RecordedCommand;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a sandbox changed in a project of the host: looked at, applied, dropped and undone. */
class ChangesTest {
  private static final int OWNER = 4711;
  private static final String TARGET = "/home/user/app";

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @TempDir Path temporary;
  private Path project;

  @BeforeEach
  void makeProject() throws IOException {
    project = Files.createDirectory(temporary.toRealPath().resolve("app"));
    write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    write("gone.txt", "gone\n");
    write("moved.txt", "moved content\n");
    write("src/tool.sh", "#!/bin/sh\n");
    write(".env", "TOKEN=host-secret\n");
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.toList()) {
        own(one);
      }
    }
    awaitNextTick();
  }

  /** What was changed right before a sandbox was opened counts as changed after it. */
  private static void awaitNextTick() {
    long until = System.nanoTime() + 30_000_000;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }

  private static void own(Path one) throws IOException {
    Files.setAttribute(one, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(one, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
  }

  private void write(String path, String text) throws IOException {
    Path file = project.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private String host(String path) throws IOException {
    return Files.readString(project.resolve(path));
  }

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private Sandbox box() {
    return server.create(CreateOptions.defaults().project(Project.of(project.toString())));
  }

  private static String shell(Sandbox box, String script) {
    return box.exec("sh", "-c", "exec 2>&1\ncd /home/user/app\n" + script).stdout().strip();
  }

  private static List<Change> changes(Sandbox box) {
    return box.changes().list(ChangeQuery.all()).changes();
  }

  private static List<String> changed(Sandbox box) {
    return changes(box).stream()
        .map(change -> change.kind() + " " + change.path())
        .sorted()
        .toList();
  }

  private static String content(Sandbox box, String path, String version) throws IOException {
    try (InputStream in = box.changes().content(TARGET, path, version)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String digest(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void all_three_versions_of_a_file_can_be_read() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "echo ten >> a.txt; rm gone.txt");
      assertThat(changed(box)).containsExactly("changed a.txt", "deleted gone.txt");
      write("a.txt", "host's own\n");
      assertThat(content(box, "a.txt", "base")).isEqualTo("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
      assertThat(content(box, "a.txt", "sandbox")).endsWith("9\nten\n");
      assertThat(content(box, "a.txt", "host")).isEqualTo("host's own\n");
      assertThat(changes(box).stream().filter(one -> one.path().equals("a.txt")).findFirst().get())
          .satisfies(one -> assertThat(one.hostChanged()).isTrue())
          .satisfies(one -> assertThat(one.baseKnown()).isTrue());
      assertRefused(404, "not_found", () -> content(box, "gone.txt", "sandbox"));
      assertRefused(403, "forbidden", () -> content(box, ".env", "host"));
      assertRefused(404, "not_found", () -> content(box, ".env", "sandbox"));
      assertRefused(400, "invalid_request", () -> content(box, "../x", "host"));
      assertRefused(400, "invalid_request", () -> content(box, "a.txt", "mine"));
    }
  }

  @Test
  void a_patch_is_what_git_applies() throws Exception {
    Path copy = temporary.resolve("copy");
    try (Sandbox box = box()) {
      assertThat(
              new ProcessBuilder("cp", "-a", project.toString(), copy.toString()).start().waitFor())
          .isZero();
      shell(box, "sed -i s/5/five/ a.txt; rm gone.txt; mv moved.txt there.txt; chmod +x a.txt");
      byte[] patch = box.changes().patch(ChangeQuery.all());
      Process git =
          new ProcessBuilder("git", "apply", "-")
              .directory(copy.toFile())
              .redirectErrorStream(true)
              .start();
      git.getOutputStream().write(patch);
      git.getOutputStream().close();
      String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(git.waitFor()).as(said + new String(patch, StandardCharsets.UTF_8)).isZero();
    }
    assertThat(copy.resolve("gone.txt")).doesNotExist();
    assertThat(copy.resolve("there.txt")).hasContent("moved content");
    assertThat(Files.readString(copy.resolve("a.txt"))).contains("five");
    assertThat(Files.isExecutable(copy.resolve("a.txt"))).isTrue();
  }

  @Test
  void what_is_applied_is_the_owners_and_is_no_change_any_more_and_can_be_undone()
      throws Exception {
    try (Sandbox box = box()) {
      shell(box, "sed -i s/5/five/ a.txt; rm gone.txt; mkdir lib; echo new > lib/new.txt");
      ApplyResult rehearsal = box.changes().apply(ApplyRequest.all().dryRun());
      assertThat(rehearsal.apply()).isEmpty();
      assertThat(rehearsal.applied()).containsExactly("a.txt", "gone.txt", "lib", "lib/new.txt");
      assertThat(host("a.txt")).contains("5");

      ApplyResult result = box.changes().apply(ApplyRequest.all());
      assertThat(result.apply()).isPresent();
      assertThat(result.applied()).containsExactlyElementsOf(rehearsal.applied());
      assertThat(host("a.txt")).contains("five");
      assertThat(host("lib/new.txt")).isEqualTo("new\n");
      assertThat(project.resolve("gone.txt")).doesNotExist();
      for (String path : List.of("a.txt", "lib", "lib/new.txt")) {
        assertThat(Files.getAttribute(project.resolve(path), "unix:uid")).isEqualTo(OWNER);
      }
      assertThat(changed(box)).isEmpty();

      box.changes().undo(Optional.empty());
      assertThat(host("a.txt")).contains("5").doesNotContain("five");
      assertThat(host("gone.txt")).isEqualTo("gone\n");
      assertThat(project.resolve("lib")).doesNotExist();
      assertThat(changed(box))
          .containsExactly("added lib", "added lib/new.txt", "changed a.txt", "deleted gone.txt");
      assertRefused(409, "conflict", () -> box.changes().undo(Optional.empty()));
      assertThat(box.changes().recover(Optional.empty()).applied()).isEmpty();
    }
  }

  @Test
  void some_paths_can_be_taken_and_the_rest_later() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "sed -i s/5/five/ a.txt; echo x > src/x; echo y > src/y");
      assertThat(box.changes().apply(ApplyRequest.of(List.of("src/x"))).applied())
          .containsExactly("src/x");
      assertThat(changed(box)).containsExactly("added src/y", "changed a.txt");
      assertThat(box.changes().apply(ApplyRequest.of(List.of("src/"))).applied())
          .containsExactly("src/y");
      assertThat(host("a.txt")).contains("5");
      ChangePage page = box.changes().list(ChangeQuery.all().limit(1));
      assertThat(page.total()).isEqualTo(1);
      assertThat(page.next()).isEmpty();
    }
  }

  @Test
  void edits_of_both_sides_are_merged_and_none_is_lost() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "sed -i s/2/two/ a.txt");
      assertThat(changed(box)).containsExactly("changed a.txt");
      write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
      assertThat(box.changes().apply(ApplyRequest.all()).applied()).containsExactly("a.txt");
      assertThat(host("a.txt")).isEqualTo("1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n");
      assertThat(changed(box)).isEmpty();
      shell(box, "sed -i s/4/four/ a.txt");
      assertThat(box.changes().apply(ApplyRequest.all()).applied()).containsExactly("a.txt");
      assertThat(host("a.txt")).isEqualTo("1\ntwo\n3\nfour\n5\n6\n7\n8\nnine\n");
    }
  }

  @Test
  void a_conflict_is_told_and_nothing_changes_until_somebody_decides() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "sed -i s/2/two/ a.txt; echo new > new.txt");
      assertThat(changed(box)).hasSize(2);
      write("a.txt", "1\nzwei\n3\n4\n5\n6\n7\n8\n9\n");
      assertThatExceptionOfType(ApplyConflictException.class)
          .isThrownBy(() -> box.changes().apply(ApplyRequest.all()))
          .satisfies(refusal -> {
            assertThat(refusal.status()).isEqualTo(409);
            assertThat(refusal.code()).isEqualTo("conflict");
            assertThat(refusal.result().conflicts())
                .extracting(ApplyResult.Left::path)
                .containsExactly("a.txt");
          });
      assertThat(project.resolve("new.txt")).doesNotExist();
      box.changes().apply(ApplyRequest.all().onConflict("markers"));
      assertThat(host("a.txt")).contains("<<<<<<< host", "zwei", "two", ">>>>>>> sandbox");
      assertThat(host("new.txt")).isEqualTo("new\n");
    }
  }

  @Test
  void a_file_that_somebody_composed_is_taken_and_the_rest_stays_a_change() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "sed -i 's/2/two/; s/8/eight/' a.txt");
      String theirs = content(box, "a.txt", "sandbox");
      String some = theirs.replace("eight", "8");
      assertThatExceptionOfType(ApplyConflictException.class)
          .isThrownBy(() ->
              box.changes()
                  .apply(
                      ApplyRequest.of(List.of())
                          .content("a.txt", some.getBytes(StandardCharsets.UTF_8), digest("x"))));
      box.changes()
          .apply(
              ApplyRequest.of(List.of())
                  .content("a.txt", some.getBytes(StandardCharsets.UTF_8), digest(theirs)));
      assertThat(host("a.txt")).isEqualTo(some);
      assertThat(changed(box)).containsExactly("changed a.txt");
      assertThat(content(box, "a.txt", "base")).isEqualTo(some);
      box.changes().apply(ApplyRequest.all());
      assertThat(host("a.txt")).isEqualTo(theirs);
    }
  }

  @Test
  void what_is_discarded_is_as_on_the_host_again_and_can_be_taken_back() {
    try (Sandbox box = box()) {
      shell(
          box,
          "sed -i s/2/two/ a.txt; rm -r src gone.txt; mkdir lib; echo x > lib/x; rm moved.txt");
      String before = box.changes().discard(Optional.empty(), List.of("a.txt", "src", "lib"));
      assertThat(changed(box)).containsExactly("deleted gone.txt", "deleted moved.txt");
      assertThat(shell(box, "cat a.txt src/tool.sh; ls"))
          .contains("2", "#!/bin/sh")
          .doesNotContain("lib");
      box.changes().discard(Optional.empty(), List.of());
      assertThat(changed(box)).isEmpty();
      box.restore(before);
      assertThat(changed(box)).contains("changed a.txt", "added lib/x", "deleted src/tool.sh");
    }
  }

  @Test
  void only_operators_may_name_or_change_folders_of_the_host() {
    server.cove().projects().create("tenant");
    Keys.NewKey key = server.cove().keys().create("of a tenant", "tenant");
    try (Cove tenant = Cove.connect(server.url(), key.key());
        Cove operator = Cove.connect(server.url(), server.key(), "tenant")) {
      CreateOptions options = CreateOptions.defaults().project(Project.of(project.toString()));
      assertRefused(403, "forbidden", () -> tenant.sandboxes().create(options));
      try (Sandbox box = operator.sandboxes().create(options)) {
        Sandbox seen = tenant.sandboxes().require(box.id());
        assertThat(shell(seen, "cat a.txt")).startsWith("1\n2");
        assertRefused(403, "forbidden", () -> seen.changes().list(ChangeQuery.all()));
        assertRefused(403, "forbidden", () -> seen.changes().apply(ApplyRequest.all()));
        assertThat(changed(box)).isEmpty();
      }
      operator.keys().revoke(key.id());
    }
    server.cove().projects().delete("tenant");
  }

  @Test
  void a_sandbox_without_a_project_says_so_and_bad_requests_are_refused() {
    try (Sandbox box = server.create(CreateOptions.defaults())) {
      assertRefused(409, "conflict", () -> box.changes().list(ChangeQuery.all()));
    }
    try (Sandbox box = box()) {
      assertRefused(404, "not_found", () -> box.changes().list(ChangeQuery.all().project("/x")));
      assertRefused(400, "invalid_request", () -> box.changes().apply(ApplyRequest.of(List.of())));
      assertRefused(
          400,
          "invalid_request",
          () -> box.changes().apply(ApplyRequest.all().onConflict("whatever")));
      assertRefused(
          400, "invalid_request", () -> box.changes().apply(ApplyRequest.of(List.of("/etc"))));
      assertRefused(409, "conflict", () -> box.changes().undo(Optional.empty()));
    }
  }

  @Test
  void commands_say_what_they_changed_and_each_can_be_gone_back_to() throws Exception {
    var options =
        CreateOptions.defaults()
            .project(Project.of(project.toString()))
            .checkpointRules(CheckpointRules.usual().withBeforeExec(true));
    try (Sandbox box = server.create(options)) {
      shell(box, "echo one > one.txt; echo x >> a.txt");
      shell(box, "rm gone.txt; echo two >> one.txt");
      shell(box, "echo three > three.txt");
      List<RecordedCommand> commands = box.commands();
      assertThat(commands).extracting(RecordedCommand::number).containsExactly(1, 2, 3);
      assertThat(commands.getFirst().command().getLast()).contains("one.txt");
      assertThat(commands)
          .extracting(one -> one.added() + " " + one.changed() + " " + one.deleted())
          .containsExactly("1 1 0", "0 1 1", "1 0 0");
      assertThat(box.changes().list(ChangeQuery.all().from(2).to(3)).changes())
          .extracting(change -> change.kind() + " " + change.path())
          .containsExactlyInAnyOrder("deleted gone.txt", "changed one.txt");
      assertThat(box.changes().list(ChangeQuery.all().from(3)).changes())
          .extracting(Change::path)
          .containsExactly("three.txt");
      assertThat(content(box, "one.txt", "@2")).isEqualTo("one\n");
      assertThat(
              new String(
                  box.changes().patch(ChangeQuery.all().from(2).to(3)), StandardCharsets.UTF_8))
          .contains("+two", "deleted file mode");
      String undo = box.rewind(2);
      assertThat(changed(box)).containsExactly("added one.txt", "changed a.txt");
      assertThat(box.files().readString(TARGET + "/one.txt")).isEqualTo("one\n");
      box.restore(undo);
      assertThat(changed(box)).contains("added three.txt", "deleted gone.txt");
      assertRefused(404, "not_found", () -> box.rewind(99));
    }
  }
}
