package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A project of this machine in the hands of a sandbox, reviewed by the command line. */
class ReviewCliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final String LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

  @TempDir Path home;
  private Path project = Path.of("");
  private Cli cli = Cli.of(server);

  @BeforeEach
  void makeProject() throws Exception {
    project = Files.createDirectory(home.toRealPath().resolve("app"));
    Files.writeString(project.resolve("a.txt"), LINES);
    Files.writeString(project.resolve("old.txt"), "old\n");
    Files.writeString(project.resolve(".env"), "TOKEN=canary\n");
    cli = Cli.of(server).in(project).with("XDG_STATE_HOME", home.resolve("state").toString());
  }

  @AfterEach
  void removeSandboxes() {
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
  }

  @Test
  void run_diff_apply_undo() throws Exception {
    Cli.Outcome run =
        cli.run(
            "run",
            "--project",
            ".",
            "--",
            "sh",
            "-c",
            "pwd; sed -i s/5/five/ a.txt; echo new > new.txt; rm old.txt");
    assertThat(run.succeeded().stdout()).isEqualTo("/home/user/app\n");
    assertThat(run.stderr()).contains("3 changes in ").contains("cove diff").contains("cove apply");
    assertThat(read("a.txt")).isEqualTo(LINES);
    assertThat(project.resolve("new.txt")).doesNotExist();

    assertThat(cli.run("diff").succeeded().stdout())
        .contains("3 changes: ")
        .contains("M a.txt")
        .contains("A new.txt")
        .contains("D old.txt")
        .contains("@@ -2,7 +2,7 @@ hunk 1\n")
        .contains("\n-5\n+five\n");
    assertThat(cli.run("diff", "--name-only").succeeded().stdout().lines())
        .containsExactlyInAnyOrder("a.txt", "new.txt", "old.txt");
    assertThat(cli.run("diff", "--stat", "a.txt").succeeded().stdout())
        .contains("a.txt  +1 -1")
        .doesNotContain("new.txt");
    assertThat(cli.run("diff", "--json", "new.txt").succeeded().stdout())
        .contains("\"kind\":\"added\"");

    assertThat(cli.run("apply", "--dry-run").succeeded().stderr()).contains("Would apply 3 paths");
    assertThat(read("a.txt")).isEqualTo(LINES);
    assertThat(cli.run("apply").succeeded().stderr()).contains("Applied 3 paths");
    assertThat(read("a.txt")).isEqualTo(LINES.replace("5", "five"));
    assertThat(read("new.txt")).isEqualTo("new\n");
    assertThat(project.resolve("old.txt")).doesNotExist();
    assertThat(cli.run("diff").succeeded().stderr()).contains("has changed nothing");

    assertThat(cli.run("undo").succeeded().stdout()).contains("a.txt");
    assertThat(read("a.txt")).isEqualTo(LINES);
    assertThat(read("old.txt")).isEqualTo("old\n");
    assertThat(project.resolve("new.txt")).doesNotExist();
    assertThat(cli.run("diff", "--name-only").succeeded().stdout().lines()).hasSize(3);
  }

  @Test
  void a_sandbox_that_changed_nothing_is_removed() throws Exception {
    Cli.Outcome run = cli.run("run", "--project", ".", "--", "cat", "a.txt");

    assertThat(run.succeeded().stdout()).isEqualTo(LINES);
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }

  @Test
  void the_commands_exit_code_is_kept_and_so_are_its_changes() throws Exception {
    assertThat(cli.run("run", "--project", ".", "--", "sh", "-c", "echo x > x; exit 7").exitCode())
        .isEqualTo(7);
    assertThat(server.cove().sandboxes().list()).hasSize(1);
  }

  @Test
  void what_is_hidden_is_told_and_is_not_there() throws Exception {
    Files.writeString(project.resolve("note.private"), "canary\n");
    Cli.Outcome run =
        cli.run("run", "--project", ".", "--hide", "*.private", "--", "sh", "-c", "ls -A");

    assertThat(run.succeeded().stdout().lines()).containsExactly("a.txt", "old.txt");
    assertThat(run.stderr()).contains("Hidden in " + project).contains(".env");
    assertThat(cli.run("run", "--project", ".", "--show", ".env", "--", "cat", ".env").stdout())
        .isEqualTo("TOKEN=canary\n");
  }

  @Test
  void projects_have_the_place_that_they_are_given_and_can_be_read_only() throws Exception {
    Path other = Files.createDirectory(home.resolve("other"));
    Files.writeString(other.resolve("b.txt"), "b\n");
    Cli.Outcome run =
        cli.run(
            "run",
            "--project",
            ".:/work/app",
            "--project",
            other + ":/work/other:ro",
            "--",
            "sh",
            "-c",
            "pwd; cat /work/other/b.txt; echo x > /work/other/x || echo refused");

    assertThat(run.stdout()).isEqualTo("/work/app\nb\nrefused\n");
  }

  @Test
  void what_is_dangerous_comes_first_and_is_taken_only_when_somebody_says_so() throws Exception {
    change("mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; echo x >> a.txt");

    assertThat(cli.run("diff").succeeded().stdout().lines().skip(1).findFirst().orElseThrow())
        .startsWith("! A .git/hooks");
    Cli.Outcome refused = cli.run("apply");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr()).contains("post-checkout").contains("nothing was applied");
    assertThat(read("a.txt")).isEqualTo(LINES);
    cli.run("apply", "a.txt").succeeded();
    assertThat(read("a.txt")).isEqualTo(LINES + "x\n");
    assertThat(project.resolve(".git")).doesNotExist();
    cli.run("apply", "--all").succeeded();
    assertThat(read(".git/hooks/post-checkout")).isEqualTo("evil\n");
  }

  @Test
  void some_hunks_of_a_file_are_taken_and_the_others_later() throws Exception {
    change("printf 'one\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\nnine\\n' > a.txt");

    cli.run("apply", "--hunks", "a.txt:2").succeeded();
    assertThat(read("a.txt")).isEqualTo(LINES.replace("9", "nine"));
    assertThat(cli.run("diff", "a.txt").stdout()).contains("+one").doesNotContain("+nine");
    assertThat(cli.run("apply", "--hunks", "a.txt:2").stderr()).contains("has no hunk 2");
    cli.run("apply").succeeded();
    assertThat(read("a.txt")).isEqualTo("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  }

  @Test
  void edits_of_both_sides_are_merged_or_told_as_a_conflict() throws Exception {
    change("sed -i s/1/one/ a.txt");
    cli.run("diff").succeeded(); // what the file was is kept now, before it changes
    Files.writeString(project.resolve("a.txt"), LINES.replace("9", "nine"));
    cli.run("apply").succeeded();
    assertThat(read("a.txt")).isEqualTo("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");

    change("sed -i s/5/inside/ a.txt; echo other > other.txt");
    Files.writeString(project.resolve("a.txt"), read("a.txt").replace("5", "outside"));
    Cli.Outcome conflict = cli.run("apply");
    assertThat(conflict.exitCode()).isEqualTo(1);
    assertThat(conflict.stderr()).contains("conflict  a.txt").contains("--markers");
    assertThat(read("a.txt")).contains("outside").doesNotContain("inside");
    assertThat(project.resolve("other.txt")).doesNotExist();

    cli.run("apply", "--markers").succeeded();
    assertThat(read("a.txt")).contains("<<<<<<<").contains("outside").contains("inside");
    assertThat(read("other.txt")).isEqualTo("other\n");
  }

  @Test
  void discarded_changes_are_gone_inside() throws Exception {
    change("echo x > x; echo y > y");
    assertThat(cli.run("discard").exitCode()).isEqualTo(2);
    assertThat(cli.run("discard", "x").succeeded().stderr()).contains("cove restore");
    assertThat(cli.run("diff", "--name-only").stdout()).isEqualTo("y\n");
    cli.run("discard", "--all").succeeded();
    assertThat(cli.run("diff", "--name-only").stdout()).isEmpty();
    assertThat(cli.run("exec", box(), "--", "ls").succeeded().stdout())
        .isEqualTo("a.txt\nold.txt\n");
  }

  @Test
  void a_patch_is_one_that_git_takes() throws Exception {
    git("init", "-q");
    change("sed -i s/5/five/ a.txt; printf 'no end' > new.txt; chmod +x old.txt");
    Path patch = home.resolve("all.patch");
    cli.run("diff", "--patch", patch.toString()).succeeded();

    git("apply", "--check", patch.toString());
    assertThat(cli.run("apply", "--patch", "-").succeeded().stdoutBytes())
        .isEqualTo(Files.readAllBytes(patch));
  }

  @Test
  void names_are_shown_escaped_and_can_be_given_back_so() throws Exception {
    change("touch \"$(printf 'a\\nb\\033[31m')\" \"$(printf 'c\\377')\"");
    String diff = cli.run("diff").succeeded().stdout();

    assertThat(diff).contains("a\\nb\\u{1b}[31m").contains("c\\xff").doesNotContain("\u001b");
    cli.run("apply", "a\\nb\\u{1b}[31m").succeeded();
    assertThat(project.resolve("a\nb\u001b[31m")).exists();
  }

  @Test
  void a_branch_has_the_changes_and_nothing_of_the_repository_is_run() throws Exception {
    repository();
    Path canary = home.resolve("hook-ran");
    for (String hook : List.of("reference-transaction", "post-index-change", "post-checkout")) {
      Path file = project.resolve(".git/hooks").resolve(hook);
      Files.writeString(file, "#!/bin/sh\ntouch " + canary + "\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    change("sed -i s/5/five/ a.txt; echo '#!/bin/sh' > run.sh; chmod +x run.sh; rm old.txt");

    cli.run("apply", "--branch", "agent/try", "--author", "An Agent <a@example.com>").succeeded();
    assertThat(git("show", "agent/try:a.txt")).isEqualTo(LINES.replace("5", "five"));
    assertThat(git("log", "-1", "--format=%an <%ae>", "agent/try"))
        .isEqualTo("An Agent <a@example.com>\n");
    assertThat(git("diff", "--name-status", "HEAD", "agent/try"))
        .isEqualTo("M\ta.txt\nD\told.txt\nA\trun.sh\n");
    assertThat(git("ls-tree", "agent/try", "run.sh")).startsWith("100755");
    assertThat(git("status", "--short")).isEmpty();
    assertThat(cli.run("apply", "--branch", "agent/try").stderr()).contains("already");

    Path tree = home.resolve("tree");
    cli.run("apply", "--worktree", tree.toString(), "--message", "Try it").succeeded();
    assertThat(Files.readString(tree.resolve("a.txt"))).contains("five");
    cli.run("apply", "--staged").succeeded();
    assertThat(git("diff", "--cached", "--name-status"))
        .contains("M\ta.txt")
        .contains("D\told.txt");
    assertThat(read("a.txt")).isEqualTo(LINES);
    assertThat(canary).doesNotExist();
  }

  @Test
  void what_git_makes_belongs_to_the_owner_of_the_project() throws Exception {
    repository();
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(new ProcessBuilder("chown", "-R", "4321:4321", project.toString()).start().waitFor())
        .isZero();
    change("echo new > new.txt");

    cli.run("apply", "--branch", "ours", "--author", "An Agent <a@example.com>").succeeded();

    assertThat(git("show", "ours:new.txt")).isEqualTo("new\n");
    try (Stream<Path> all = Files.walk(project.resolve(".git"))) {
      assertThat(all.filter(file -> !owner(file).equals(4321))).isEmpty();
    }
  }

  private static Object owner(Path file) {
    try {
      return Files.getAttribute(file, "unix:uid");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_branch_is_merged_with_what_was_committed_meanwhile() throws Exception {
    repository();
    change("sed -i s/1/one/ a.txt");
    cli.run("diff").succeeded(); // what the file was is kept now, before it changes
    Files.writeString(project.resolve("a.txt"), LINES.replace("9", "nine"));
    git("commit", "-qam", "nine");

    cli.run("apply", "--branch", "both").succeeded();
    assertThat(git("show", "both:a.txt")).isEqualTo("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");

    Files.writeString(project.resolve("a.txt"), LINES.replace("1", "uno"));
    git("commit", "-qam", "uno");
    Cli.Outcome conflict = cli.run("apply", "--branch", "clash");
    assertThat(conflict.exitCode()).isEqualTo(1);
    assertThat(conflict.stderr()).contains("a.txt").contains("--theirs");
    assertThat(git("branch", "--list", "clash")).isEmpty();
  }

  @Test
  void commands_are_listed_compared_committed_one_by_one_and_taken_back() throws Exception {
    repository();
    String box =
        cli.run("create", "--project", ".", "--checkpoint-before-exec", "on")
            .succeeded()
            .stdout()
            .strip();
    cli.run("exec", box, "--", "sh", "-c", "echo first > first.txt").succeeded();
    cli.run("exec", box, "--", "sh", "-c", "echo second > second.txt").succeeded();
    cli.run("exec", box, "--", "sh", "-c", "echo more >> first.txt").succeeded();

    assertThat(cli.run("log", box).succeeded().stdout())
        .contains("COMMAND")
        .contains("echo second")
        .contains("+1 ~0 -0");
    assertThat(cli.run("diff", "--name-only", box + "@2..@3").succeeded().stdout())
        .isEqualTo("second.txt\n");
    assertThat(cli.run("diff", box + "@3..").succeeded().stdout()).contains("+more");

    cli.run("apply", "--branch", "steps", box).succeeded();
    assertThat(git("log", "--reverse", "--format=%s", "HEAD..steps").lines())
        .hasSize(3)
        .anySatisfy(line -> assertThat(line).contains("echo second"));
    assertThat(git("show", "steps:first.txt")).isEqualTo("first\nmore\n");

    assertThat(cli.run("rewind", box, "2").succeeded().stderr()).contains("cove restore");
    assertThat(cli.run("diff", "--name-only", box).succeeded().stdout()).isEqualTo("first.txt\n");
    assertThat(cli.run("rewind", box, "99").exitCode()).isEqualTo(1);
    assertThat(cli.run("rewind", box, "0").exitCode()).isEqualTo(2);
  }

  @Test
  void a_review_takes_some_is_left_and_taken_up_again() throws Exception {
    change("printf 'one\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\nnine\\n' > a.txt; echo new > new.txt");
    try (Terminal terminal = cli.inTerminal(24, 100, "review")) {
      terminal.expect("2 files: 0 taken, 0 left, 0 mixed, 2 open");
      terminal.expect("a\\.txt");
      terminal.type("\r");
      terminal.expect("tab list");
      terminal.type("a");
      terminal.expect("1 mixed, 1 open");
      terminal.type("q");
      assertThat(terminal.awaitExit()).isZero();
    }
    assertThat(read("a.txt")).isEqualTo(LINES);
    try (Terminal terminal = cli.inTerminal(10, 60, "review")) {
      terminal.expect("1 mixed, 1 open");
      terminal.resize(24, 100);
      terminal.expect("conflicts: stop");
      terminal.type("x");
      terminal.expect("Apply 1 of 2 files");
      terminal.type("y");
      assertThat(terminal.awaitExit()).isZero();
    }
    assertThat(read("a.txt")).isEqualTo(LINES.replace("1", "one"));
    assertThat(project.resolve("new.txt")).doesNotExist();
  }

  @Test
  void a_diff_in_a_terminal_has_colours_and_goes_through_the_pager() throws Exception {
    change("seq 1 200 > long.txt");
    Cli paged = cli.with("PAGER", "sed s/^/paged:/");
    try (Terminal terminal = paged.inTerminal(24, 80, "diff")) {
      terminal.expect("paged:.*1 change");
      terminal.expect("\u001b\\[32m\\+200");
      assertThat(terminal.awaitExit()).isZero();
    }
  }

  @Test
  void a_project_says_what_its_sandboxes_are() throws Exception {
    Files.writeString(
        project.resolve("cove.toml"), "[sandbox]\nmemory = \"300M\"\n[env]\nCOLOUR = \"red\"\n");
    Cli.Outcome run = cli.run("run", "--project", ".", "--", "printenv", "COLOUR");
    assertThat(run.succeeded().stdout()).isEqualTo("red\n");
    assertThat(run.stderr()).contains("cove.toml says").contains("sandbox.memory 300M");
    String box = cli.run("create", "--project", ".").succeeded().stdout().strip();
    assertThat(server.cove().sandboxes().require(box).info().memoryMb()).isEqualTo(300);

    Files.writeString(project.resolve("cove.toml"), "[sandbox]\nmemory = 300\n");
    Cli.Outcome wrong = cli.run("create", "--project", ".");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.stderr()).contains("cove.toml, line 2: 'sandbox.memory' must be a string");
  }

  @Test
  void calls_that_make_no_sense_are_told_and_change_nothing() throws Exception {
    assertThat(cli.run("run", "--project", "nowhere", "--", "true").exitCode()).isEqualTo(125);
    assertThat(cli.run("create", "--project", "a.txt").stderr()).contains("is no folder");
    assertThat(cli.run("create", "--project", "/").exitCode()).isEqualTo(1);
    assertThat(cli.run("create", "--hide", "x").exitCode()).isEqualTo(2);
    assertThat(cli.run("diff").stderr()).contains("No sandbox works on " + project);
    assertThat(cli.run("diff", "nobody").stderr()).contains("There is no sandbox 'nobody'");
    String bare = cli.run("create").succeeded().stdout().strip();
    assertThat(cli.run("diff", bare).stderr()).contains("has no project");
    change("echo x > x");
    assertThat(cli.run("diff", "../elsewhere").stderr()).contains("is in no project");
    assertThat(cli.run("diff", "--stat", "--json").exitCode()).isEqualTo(2);
    assertThat(cli.run("apply", "--ours", "--theirs").exitCode()).isEqualTo(2);
    assertThat(cli.run("apply", "--hunks", "x").exitCode()).isEqualTo(2);
    assertThat(cli.run("apply", "--author", "me").exitCode()).isEqualTo(2);
    assertThat(cli.run("apply", "--branch", "bad..name").exitCode()).isEqualTo(1);
    assertThat(cli.run("review").stderr()).contains("needs a terminal");
    assertThat(cli.run("diff", box() + "@5..@3").exitCode()).isEqualTo(2);
    assertThat(project.resolve("x")).doesNotExist();
  }

  /** In the newest sandbox of the project, or in a new one. */
  private void change(String script) throws Exception {
    List<SandboxInfo> boxes = server.cove().sandboxes().list();
    if (boxes.stream().noneMatch(one -> !one.projects().isEmpty())) {
      cli.run("create", "--project", ".").succeeded();
    }
    cli.run("exec", box(), "--", "sh", "-c", script).succeeded();
  }

  private static String box() {
    return server.cove().sandboxes().list().stream()
        .filter(one -> !one.projects().isEmpty())
        .findFirst()
        .map(SandboxInfo::id)
        .orElseThrow();
  }

  private String read(String name) throws IOException {
    Path file = project.resolve(name);
    assertThat(Files.isSymbolicLink(file)).isFalse();
    assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).as(name).isTrue();
    return Files.readString(file);
  }

  private void repository() throws Exception {
    git("init", "-q");
    Files.writeString(project.resolve(".gitignore"), ".env\n");
    git("add", "-A");
    git("commit", "-qm", "begin");
  }

  private String git(String... arguments) throws Exception {
    var command =
        new ArrayList<>(
            List.of("git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"));
    command.addAll(List.of("-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
