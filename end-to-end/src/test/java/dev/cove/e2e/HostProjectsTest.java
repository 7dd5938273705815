package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Change;
import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Fork;
import dev.cove.sdk.Project;
import dev.cove.sdk.ProjectInfo;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Folders of the host in sandboxes, which callers know as projects. */
class HostProjectsTest {
  private static final int OWNER = 4711;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @TempDir Path temporary;
  private Path project;

  @BeforeEach
  void makeProject() throws IOException {
    project = Files.createDirectory(temporary.toRealPath().resolve("app"));
    write("README.md", "# App\n");
    write("src/main.txt", "one\ntwo\nthree\n");
    write("src/old.txt", "old\n");
    write(".env", "TOKEN=host-secret\n");
    write("deploy/id_rsa", "PRIVATE host-secret\n");
    write(".npmrc", "registry=https://registry.example\n");
    write("web/.npmrc", "//registry.example/:_authToken=host-secret\n");
    own(project);
  }

  private void write(String path, String text) throws IOException {
    Path file = project.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static void own(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.toList()) {
        Files.setAttribute(one, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(one, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private CreateOptions options() {
    return CreateOptions.defaults().project(Project.of(project.toString()));
  }

  private static String shell(Sandbox box, String script) {
    return box.exec("sh", "-c", "exec 2>&1\ncd /home/user/app\n" + script).stdout().strip();
  }

  private static List<String> changed(Sandbox box) {
    return box.changes().list(ChangeQuery.all()).changes().stream()
        .map(change -> change.kind() + " " + change.path())
        .sorted()
        .toList();
  }

  @Test
  void the_sandbox_works_on_it_as_if_it_were_its_own_and_the_host_stays_as_it_is()
      throws Exception {
    try (Sandbox box = server.create(options())) {
      assertThat(shell(box, "pwd; stat -c %U src README.md; cat README.md"))
          .isEqualTo("/home/user/app\nuser\nuser\n# App");
      shell(box, "echo four >> src/main.txt; rm src/old.txt; mkdir lib; echo x > lib/new.txt");
      assertThat(changed(box))
          .containsExactly(
              "added lib", "added lib/new.txt", "changed src/main.txt", "deleted src/old.txt");
    }
    assertThat(Files.readString(project.resolve("src/main.txt"))).isEqualTo("one\ntwo\nthree\n");
    assertThat(project.resolve("src/old.txt")).exists();
    assertThat(project.resolve("lib")).doesNotExist();
  }

  @Test
  void secrets_are_hidden_and_listed_and_can_be_shown() throws Exception {
    write(".coveignore", "# ours\n/private/\n*.secret\n");
    write("private/notes.txt", "host-secret\n");
    write("src/db.secret", "host-secret\n");
    try (Sandbox box =
        server.create(
            CreateOptions.defaults()
                .project(
                    Project.of(project.toString())
                        .hide(List.of("README.md"))
                        .show(List.of("deploy/id_rsa"))))) {
      ProjectInfo info = box.fetchInfo().projects().getFirst();
      assertThat(info.path()).isEqualTo(project.toString());
      assertThat(info.target()).isEqualTo("/home/user/app");
      assertThat(info.hidden())
          .containsExactly(".env", "README.md", "private", "src/db.secret", "web/.npmrc");
      assertThat(info.hiddenCount()).isEqualTo(5);
      assertThat(shell(box, "grep -r host-secret . ; cat .env; ls -A"))
          .contains("deploy/id_rsa:PRIVATE")
          .doesNotContain("TOKEN", "authToken", "README", "private");
      assertThat(shell(box, "cat .npmrc")).contains("registry=");
    }
  }

  @Test
  void it_stays_over_a_stop_a_checkpoint_a_restore_and_in_forks() throws Exception {
    try (Sandbox box = server.create(options())) {
      shell(box, "echo kept > new.txt");
      Checkpoint checkpoint = box.checkpoint("first");
      shell(box, "echo later > later.txt; rm new.txt");
      assertThat(changed(box)).containsExactly("added later.txt");
      box.stop();
      assertThat(changed(box)).containsExactly("added later.txt");
      box.start();
      assertThat(shell(box, "ls; cat src/main.txt")).contains("later.txt", "two");
      box.pause();
      assertThat(changed(box)).containsExactly("added later.txt");
      box.restore(checkpoint.id());
      assertThat(changed(box)).containsExactly("added new.txt");
      for (Fork fork : box.fork(1)) {
        try (Sandbox child = fork.sandbox()) {
          assertThat(child.info().projects()).hasSize(1);
          assertThat(changed(child)).containsExactly("added new.txt");
          shell(child, "echo child > child.txt");
          assertThat(changed(child)).containsExactly("added child.txt", "added new.txt");
        }
      }
      assertThat(changed(box)).containsExactly("added new.txt");
    }
  }

  @Test
  void a_read_only_one_can_be_read() {
    try (Sandbox box =
        server.create(
            CreateOptions.defaults()
                .project(Project.of(project.toString()).target("/srv/app").asReadOnly()))) {
      assertThat(box.exec("sh", "-c", "cat /srv/app/README.md; echo x > /srv/app/x").stdout())
          .isEqualTo("# App\n");
      assertThat(box.changes().list(ChangeQuery.all()).changes()).isEmpty();
    }
  }

  @Test
  void folders_that_are_no_projects_are_refused_by_name() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), project);
    Path file = Files.writeString(temporary.resolve("file"), "x");
    for (String path :
        List.of(
            "/",
            "/etc",
            "/usr/share",
            "relative",
            "/tmp/../etc",
            temporary.resolve("missing").toString(),
            link.toString(),
            file.toString(),
            server.home().toString(),
            server.home().resolve("data").toString())) {
      assertRefused(
          400,
          "invalid_request",
          () -> server.create(CreateOptions.defaults().project(Project.of(path))));
    }
    assertRefused(
        400,
        "invalid_request",
        () ->
            server.create(
                options().project(Project.of(project.toString()).target("/home/user/app/src"))));
  }

  @Test
  void dangerous_changes_come_first_and_say_why() {
    try (Sandbox box = server.create(options())) {
      shell(
          box,
          "mkdir -p .git/hooks; echo 'rm -rf /' > .git/hooks/post-checkout; echo x > a.txt;"
              + " ln -s /etc/passwd link; printf 'x' > \"$(printf 'odd\\nname')\"; mkfifo pipe;"
              + " chmod +x README.md");
      List<Change> changes = box.changes().list(ChangeQuery.all()).changes();
      assertThat(changes.getFirst().path()).isEqualTo(".git/hooks");
      assertThat(changes).extracting(Change::path).contains("odd\\nname", "pipe", "link");
      Change link = changes.stream().filter(one -> one.path().equals("link")).findFirst().get();
      assertThat(link.after().orElseThrow().link()).contains("/etc/passwd");
      assertThat(link.dangers()).extracting(Change.Danger::code).contains("link_outside");
      assertThat(changes.getLast().path()).isEqualTo("a.txt");
    }
  }
}
