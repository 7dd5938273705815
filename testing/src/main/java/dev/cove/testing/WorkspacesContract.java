package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.RootFs.Workspace;
import dev.cove.engine.Writings;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Folders of somebody on the host, which a sandbox may change for itself alone. */
abstract class WorkspacesContract extends EngineContract {
  private static final int OWNER = 4711;

  @SuppressWarnings("NullAway.Init")
  private Path project;

  @BeforeEach
  void makeProject() throws IOException {
    project = Files.createTempDirectory(folder, "project").toRealPath();
    Files.writeString(project.resolve("kept.txt"), "kept\n");
    Files.writeString(project.resolve("edited.txt"), "before\n");
    Files.writeString(project.resolve("gone.txt"), "gone\n");
    Files.writeString(project.resolve(".env"), "SECRET=1\n");
    Path deep = Files.createDirectories(project.resolve("src/deep"));
    Files.writeString(deep.resolve("id_rsa"), "PRIVATE\n");
    Files.writeString(deep.resolve("Main.java"), "class Main {}\n");
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.toList()) {
        Files.setAttribute(one, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(one, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
      }
    }
    Files.setPosixFilePermissions(project, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void removeAll() {
    engine().present().forEach(engine()::remove);
    store().layers().forEach(store()::removeLayer);
  }

  private Workspace writable() {
    return new Workspace("/home/user/app", project, false, List.of(".env", "src/deep/id_rsa"));
  }

  private CagePlan plan(RootFs on) {
    return new CagePlan(SandboxId.random(), on, SMALL);
  }

  private Box with(RootFs on) throws IOException {
    assumeTrue(engine().offersWorkspaces(), "this engine has no workspaces");
    return Box.of(engine().start(plan(on)));
  }

  @Test
  void an_engine_without_them_says_so() {
    assumeTrue(!engine().offersWorkspaces(), "this engine has workspaces");
    assertThatThrownBy(() -> engine().start(plan(root.with(List.of(writable())))))
        .isInstanceOfSatisfying(
            EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
    assertThat(engine().present()).isEmpty();
  }

  @Test
  void the_owners_files_are_the_users_inside_and_nothing_changes_on_the_host() throws Exception {
    List<String> before = listing();
    try (var box = with(root.with(List.of(writable())))) {
      assertThat(box.user("cd ~/app; stat -c '%u %g %n' . kept.txt src/deep; cat kept.txt"))
          .isEqualTo("1000 1000 .\n1000 1000 kept.txt\n1000 1000 src/deep\nkept");
      box.user(
          "cd ~/app; echo after > edited.txt; rm gone.txt; echo new > new.txt; mv src lib;"
              + " chmod 755 kept.txt; ln -s /etc/passwd link");
      assertThat(box.user("cd ~/app; cat edited.txt lib/deep/Main.java; ls -A"))
          .isEqualTo("after\nclass Main {}\nedited.txt\nkept.txt\nlib\nlink\nnew.txt");
      box.root("cd /home/user/app; echo root > by-root.txt; chown 12:34 kept.txt");
    }
    assertThat(listing()).isEqualTo(before);
    assertThat(Files.readString(project.resolve("edited.txt"))).isEqualTo("before\n");
  }

  @Test
  void hidden_paths_are_not_there_by_name_or_in_a_listing_and_can_be_made_anew() throws Exception {
    try (var box = with(root.with(List.of(writable())))) {
      assertThat(
              box.root(
                  "cd /home/user/app; ls -A . src/deep; cat .env src/deep/id_rsa 2>&1;"
                      + " mv .env x 2>&1; ln .env y 2>&1; true"))
          .doesNotContain("SECRET", "PRIVATE")
          .contains("Main.java")
          .contains("No such file");
      assertThat(box.user("cd ~/app; echo MINE=2 > .env; cat .env; ls -A"))
          .contains("MINE=2", ".env");
      assertThat(box.user("stat -c '%u %a' ~/app/src/deep")).isEqualTo("1000 755");
    }
    assertThat(Files.readString(project.resolve(".env"))).isEqualTo("SECRET=1\n");
  }

  @Test
  void what_others_than_its_owner_have_in_it_is_nobodys_to_root_inside_too() throws Exception {
    Path others = Files.writeString(project.resolve("others.txt"), "OTHERS\n");
    Files.setAttribute(others, "unix:uid", 0);
    Files.setAttribute(others, "unix:gid", 0);
    Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rw-r-----"));
    try (var box = with(root.with(List.of(writable())))) {
      assertThat(
              box.run("root", "cd /home/user/app; stat -c %u others.txt; cat others.txt").output())
          .contains("65534", "Permission denied")
          .doesNotContain("OTHERS");
      assertThat(box.run("root", "chmod 777 /home/user/app/others.txt").output())
          .contains("changing permissions"); // and why it could not
    }
  }

  @Test
  void a_read_only_one_is_so_for_root_too_and_hides_as_well() throws Exception {
    var readOnly = new Workspace("/srv/app", project, true, List.of(".env"));
    try (var box = with(root.with(List.of(readOnly)))) {
      assertThat(box.user("cat /srv/app/kept.txt; ls -A /srv/app"))
          .startsWith("kept")
          .doesNotContain(".env");
      assertThat(
              box.run("root", "echo x > /srv/app/kept.txt; mount -o remount,rw /srv/app").output())
          .contains("Read-only file system");
    }
  }

  @Test
  void what_was_written_can_be_looked_at_while_it_runs_rests_and_is_stopped() throws Exception {
    RootFs on = root.with(List.of(writable()));
    SandboxId id;
    try (var box = with(on)) {
      id = box.cage().id();
      box.user("cd ~/app; echo one > edited.txt; rm gone.txt");
      assertThat(written(id)).containsExactly("edited.txt", "gone.txt");
      box.cage().pause();
      assertThat(written(id)).containsExactly("edited.txt", "gone.txt");
      box.cage().resume();
      box.cage().halt();
      assertThat(written(id)).containsExactly("edited.txt", "gone.txt");
      var again = new CagePlan(id, on, SMALL);
      try (var restarted = Box.of(engine().restart(again))) {
        assertThat(restarted.user("cd ~/app; cat edited.txt; ls"))
            .isEqualTo("one\nedited.txt\nkept.txt\nsrc");
        assertThat(written(id)).containsExactly("edited.txt", "gone.txt");
      }
    }
  }

  private List<String> written(SandboxId id) throws IOException {
    try (Writings writings = engine().writings(id);
        Stream<Path> files = Files.list(writings.of(writable()).getFirst())) {
      return files.map(one -> one.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void sealed_layers_hold_what_was_written_and_only_the_same_folder_shows_it() throws Exception {
    var layer = LayerId.random();
    RootFs on = root.with(List.of(writable()));
    try (var box = with(on)) {
      box.user("cd ~/app; echo sealed > edited.txt; rm gone.txt");
      assertThat(box.cage().seal(layer, true).moved()).isTrue();
      box.user("cd ~/app; echo later > later.txt");
      assertThat(box.user("cd ~/app; cat edited.txt later.txt; ls -A"))
          .isEqualTo("sealed\nlater\nedited.txt\nkept.txt\nlater.txt\nsrc");
      try (Writings writings = engine().writings(box.cage().id())) {
        assertThat(writings.of(writable())).hasSize(2);
      }
      assertThat(box.cage().change(on)).isTrue();
      assertThat(box.user("cd ~/app; cat edited.txt gone.txt; ls -A"))
          .isEqualTo("before\ngone\nedited.txt\ngone.txt\nkept.txt\nsrc");
    }
    RootFs over = root.over(List.of(layer));
    try (var child = with(over.with(List.of(writable())));
        Writings writings = engine().writings(over)) {
      assertThat(child.user("cd ~/app; cat edited.txt; ls"))
          .isEqualTo("sealed\nedited.txt\nkept.txt\nsrc");
      assertThat(writings.of(writable())).hasSize(1);
    }
    var elsewhere = new Workspace("/srv/app", project, false, List.of());
    try (var child = with(over.with(List.of(elsewhere)))) {
      assertThat(child.user("cat /srv/app/edited.txt /srv/app/gone.txt")).isEqualTo("before\ngone");
    }
  }

  @Test
  void the_next_engine_takes_it_over_with_all_that_it_had() throws Exception {
    var box = with(root.with(List.of(writable())));
    SandboxId id = box.cage().id();
    box.user("echo before > ~/app/new.txt");
    box.guest().close();
    subject().killHelpers(engine());
    engine().close();
    engine(subject().open(home));
    try (var adopted = Box.of(engine().adopt(id).orElseThrow())) {
      assertThat(adopted.cage().root().workspaces()).containsExactly(writable());
      assertThat(adopted.cage().seal(LayerId.random(), true).moved()).isTrue();
      assertThat(adopted.user("cat ~/app/new.txt ~/app/kept.txt; ls -A ~/app"))
          .startsWith("before\nkept")
          .doesNotContain(".env");
    }
  }

  @Test
  void a_folder_that_is_not_there_or_lies_behind_a_link_is_refused_by_name() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link-" + project.getFileName()), project);
    for (Path source : List.of(project.resolve("missing"), link, link.resolve("src"))) {
      var wanted = new Workspace("/home/user/app", source, false, List.of());
      assertThatThrownBy(() -> with(root.with(List.of(wanted))))
          .isInstanceOfSatisfying(
              EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
          .hasMessageContaining(source.toString());
      assertThat(engine().present()).isEmpty();
    }
  }

  private List<String> listing() throws IOException {
    try (Stream<Path> all = Files.walk(project)) {
      return all.sorted()
          .map(one -> {
            try {
              return one
                  + " "
                  + Files.getAttribute(one, "unix:mode", LinkOption.NOFOLLOW_LINKS)
                  + " "
                  + Files.getAttribute(one, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                  + " "
                  + Files.getAttribute(one, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          })
          .toList();
    }
  }
}
