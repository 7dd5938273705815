package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.ApplyResult;
import dev.cove.sdk.Change;
import dev.cove.sdk.ChangePage;
import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Project;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an agent can plant in a project of the host, against whoever looks at it or applies it. A
 * canary beside the project must never be read, changed or shown.
 */
class ChangeAttacksTest {
  private static final int OWNER = 4711;
  private static final String TARGET = "/home/user/app";

  @RegisterExtension static final RunningServer SERVER = RunningServer.shared();

  @TempDir Path temporary;
  private static final Class<UserDefinedFileAttributeView> USER_ATTRIBUTES =
      UserDefinedFileAttributeView.class;

  private Path project;
  private HostCanary canary;

  @BeforeEach
  void makeProject() throws IOException {
    canary = HostCanary.plant();
    project = Files.createDirectory(temporary.toRealPath().resolve("app"));
    Files.writeString(project.resolve("file.txt"), "file\n");
    Files.writeString(project.resolve("other.txt"), "other\n");
    Files.createDirectories(project.resolve("folder/deep"));
    Files.writeString(project.resolve("folder/deep/in.txt"), "in\n");
    Files.writeString(project.resolve(".env"), canary.secret());
    Files.writeString(project.resolve("root-only"), canary.secret());
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.toList()) {
        Files.setAttribute(one, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(one, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
      }
    }
    Files.setAttribute(project.resolve("root-only"), "unix:uid", 0);
    Files.setAttribute(project.resolve("root-only"), "unix:mode", 0100600);
    long until = System.nanoTime() + 30_000_000; // what is younger counts as changed
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }

  @AfterEach
  void end() throws IOException {
    canary.assertUntouched();
    canary.close();
  }

  private Sandbox box() {
    return SERVER.create(CreateOptions.defaults().project(Project.of(project.toString())));
  }

  private static String shell(Sandbox box, String script) {
    return box.exec("sh", "-c", "exec 2>&1\ncd /home/user/app\n" + script).stdout().strip();
  }

  private static List<Change> changes(Sandbox box) {
    return box.changes().list(ChangeQuery.all()).changes();
  }

  private static Change change(Sandbox box, String path) {
    return changes(box).stream().filter(one -> one.path().equals(path)).findFirst().orElseThrow();
  }

  /** All that the API tells of a change. */
  private String told(Sandbox box, String path) {
    var told = new StringBuilder();
    changes(box).forEach(one -> told.append(one.toJson()));
    told.append(new String(box.changes().patch(ChangeQuery.all()), StandardCharsets.UTF_8));
    for (String version : List.of("base", "sandbox", "host")) {
      try (InputStream in = box.changes().content(TARGET, path, version)) {
        told.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      } catch (CoveApiException | IOException e) {
        told.append(e.getMessage());
      }
    }
    return told.toString();
  }

  @Test
  void links_to_the_host_are_links_and_nothing_is_read_or_written_through_them() throws Exception {
    try (Sandbox box = box()) {
      shell(
          box,
          "ln -s %s leak; ln -s %s out; rm file.txt; ln -s %s file.txt; rm -r folder; ln -s %s folder"
              .formatted(canary.file(), canary.folder(), canary.file(), canary.folder()));
      for (String path :
          List.of("leak", "out", "file.txt", "folder", "out/canary", "folder/canary")) {
        assertThat(told(box, path)).doesNotContain(canary.secret());
      }
      assertThat(change(box, "leak").dangers())
          .extracting(Change.Danger::code)
          .contains("link_outside");
      box.changes().apply(ApplyRequest.all());
      assertThat(Files.readSymbolicLink(project.resolve("leak"))).isEqualTo(canary.file());
      assertThat(Files.isSymbolicLink(project.resolve("folder"))).isTrue();
      // Now the host has links where the sandbox goes on: nothing may be written through them.
      shell(box, "rm folder; mkdir folder; echo planted > folder/canary; echo x > folder/new");
      try {
        box.changes().apply(ApplyRequest.of(List.of("folder/canary", "folder/new")));
      } catch (CoveApiException e) {
        assertThat(e.status()).isEqualTo(409);
      }
      canary.assertUntouched();
    }
  }

  @Test
  void pipes_devices_and_sockets_are_named_and_never_opened_or_made() throws Exception {
    try (Sandbox box = box()) {
      shell(
          box,
          "mkfifo pipe; rm file.txt; mkfifo file.txt;"
              + " python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")' || true");
      box.exec("sh", "-c", "true");
      assertThat(change(box, "pipe").dangers())
          .extracting(Change.Danger::code)
          .contains("special_file");
      told(box, "pipe");
      ApplyResult result = box.changes().apply(ApplyRequest.all());
      assertThat(result.skipped()).extracting(ApplyResult.Left::path).contains("pipe", "file.txt");
      assertThat(project.resolve("pipe")).doesNotExist();
      assertThat(project.resolve("file.txt")).isRegularFile();
    }
  }

  @Test
  void names_that_would_drive_a_terminal_are_escaped_and_can_be_given_back() throws Exception {
    try (Sandbox box = box()) {
      shell(
          box,
          "printf 1 > \"$(printf 'a\\nb')\"; printf 2 > \"$(printf 'c\\033[31md')\";"
              + " printf 3 > \"$(printf 'e\\377f')\"; printf 4 > \"$(printf 'g\\\\\\\\h')\"");
      List<String> names = changes(box).stream().map(Change::path).toList();
      assertThat(names)
          .containsExactlyInAnyOrder("a\\nb", "c\\u{1b}[31md", "e\\xfff", "g\\\\\\\\h")
          .allSatisfy(name -> assertThat(name).matches("\\p{Print}+"));
      for (String name : names) {
        try (InputStream in = box.changes().content(TARGET, name, "sandbox")) {
          assertThat(in.readAllBytes()).hasSize(1);
        }
      }
      assertThat(box.changes().apply(ApplyRequest.of(names)).applied()).hasSize(4);
      try (Stream<Path> all = Files.list(project)) {
        assertThat(all.map(Path::getFileName).map(Path::toString)).contains("a\nb");
      }
    }
  }

  @Test
  void hooks_come_first_and_set_id_bits_are_not_handed_over() throws Exception {
    try (Sandbox box = box()) {
      shell(
          box,
          "mkdir -p .git/hooks; echo '#!/bin/sh' > .git/hooks/post-checkout;"
              + " chmod 6755 .git/hooks/post-checkout; echo x > a.txt");
      assertThat(changes(box).getFirst().dangers().getFirst().code()).isEqualTo("git_hook");
      assertThat(change(box, ".git/hooks/post-checkout").dangers())
          .extracting(Change.Danger::code)
          .contains("set_id", "executable");
      box.changes().apply(ApplyRequest.all());
      assertThat(
              (int) Files.getAttribute(project.resolve(".git/hooks/post-checkout"), "unix:mode")
                  & 07000)
          .isZero();
    }
  }

  @Test
  void case_twins_are_marked() {
    try (Sandbox box = box()) {
      shell(box, "echo twin > FILE.txt");
      assertThat(change(box, "FILE.txt").dangers())
          .extracting(Change.Danger::code)
          .contains("case_twin");
    }
  }

  @Test
  void a_huge_file_of_holes_is_listed_at_once_and_not_applied() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "truncate -s 10G huge.bin");
      Change huge = change(box, "huge.bin");
      assertThat(huge.after().orElseThrow().bytes()).isEqualTo(10L << 30);
      assertThat(huge.dangers()).extracting(Change.Danger::code).contains("large");
      assertThat(told(box, "huge.bin")).contains("at most");
      assertThat(box.changes().apply(ApplyRequest.all()).skipped())
          .extracting(ApplyResult.Left::path)
          .containsExactly("huge.bin");
      assertThat(project.resolve("huge.bin")).doesNotExist();
    }
  }

  @Test
  void a_file_becomes_a_folder_and_back_without_loss() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "rm file.txt; mkdir file.txt; echo x > file.txt/x; rm -r folder; echo f > folder");
      box.changes().apply(ApplyRequest.all());
      assertThat(project.resolve("file.txt/x")).hasContent("x");
      assertThat(project.resolve("folder")).isRegularFile();
      shell(
          box,
          "rm -r file.txt; echo file > file.txt; rm folder; mkdir -p folder/deep; echo in > folder/deep/in.txt");
      box.changes().apply(ApplyRequest.all());
      assertThat(project.resolve("file.txt")).hasContent("file");
      assertThat(project.resolve("folder/deep/in.txt")).hasContent("in");
      assertThat(changes(box)).isEmpty();
    }
  }

  @Test
  void files_that_nobody_may_read_inside_are_listed_and_applied_as_they_are() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "echo x > locked; chmod 000 locked; mkdir shut; echo y > shut/y; chmod 000 shut");
      assertThat(changes(box)).extracting(Change::path).contains("locked", "shut", "shut/y");
      box.changes().apply(ApplyRequest.of(List.of("locked")));
      assertThat(Files.readString(project.resolve("locked"))).isEqualTo("x\n");
      assertThat((int) Files.getAttribute(project.resolve("locked"), "unix:mode") & 0777).isZero();
    }
  }

  @Test
  void what_is_hidden_or_roots_is_neither_shown_nor_replaced() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "echo MINE=1 > .env");
      assertThat(told(box, ".env")).doesNotContain(canary.secret());
      ApplyResult result = box.changes().apply(ApplyRequest.all().onConflict("theirs"));
      assertThat(result.skipped()).extracting(ApplyResult.Left::path).containsExactly(".env");
      assertThat(Files.readString(project.resolve(".env"))).isEqualTo(canary.secret());
      assertThat(told(box, "root-only")).doesNotContain(canary.secret());
      assertThat(shell(box, "cat root-only")).doesNotContain(canary.secret());
      Command asRoot = Command.of("cat", TARGET + "/root-only").user("root");
      assertThat(box.exec(asRoot).stdout()).doesNotContain(canary.secret());
    }
  }

  @Test
  void more_than_can_be_listed_is_said_and_nothing_of_it_lands() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "mkdir -p a; cd a; seq 1 100001 | xargs touch; cd ..; echo x > zz");
      ChangePage page = box.changes().list(ChangeQuery.all().limit(10));
      assertThat(page.truncated()).isTrue();
      assertThat(page.changes()).hasSize(10);
      assertThatThrownBy(() -> box.changes().apply(ApplyRequest.of(List.of("zz"))))
          .isInstanceOfSatisfying(
              CoveApiException.class, e -> assertThat(e.code()).isEqualTo("too_large"));
      assertThat(project.resolve("zz")).doesNotExist();
      shell(box, "rm -r a");
      assertThat(box.changes().list(ChangeQuery.all()).truncated()).isFalse();
      assertThat(changes(box)).extracting(Change::path).containsExactly("zz");
    }
  }

  @Test
  void devices_are_not_made_in_a_project_by_root_inside_either() {
    try (Sandbox box = box()) {
      Command make = Command.shell("cd " + TARGET + "; mknod disk b 7 0; mknod zero c 1 5; ls");
      assertThat(box.exec(make.user("root")).stdout()).doesNotContain("disk", "zero");
      assertThat(changes(box)).isEmpty();
    }
  }

  @Test
  void hard_links_are_applied_as_files_of_their_own_and_attributes_stay_behind() throws Exception {
    try (Sandbox box = box()) {
      shell(box, "ln other.txt twin; ln /etc/hostname outside 2>/dev/null; echo more >> twin");
      assertThat(
              shell(
                  box,
                  "python3 -c \"import os; os.setxattr('twin', 'user.hidden', b'payload');"
                      + " print(os.getxattr('twin', 'user.hidden'))\""))
          .contains("payload");
      box.changes().apply(ApplyRequest.all());
      assertThat(project.resolve("twin")).hasContent("other\nmore");
      assertThat(Files.getFileAttributeView(project.resolve("twin"), USER_ATTRIBUTES).list())
          .isEmpty();
      assertThat((int) Files.getAttribute(project.resolve("twin"), "unix:nlink")).isEqualTo(1);
    }
  }

  @Test
  void a_file_that_swaps_to_a_link_all_the_time_never_leads_an_apply_astray() throws Exception {
    Path victim = project.resolve("file.txt");
    Path aside = temporary.resolve("aside");
    var stop = new AtomicBoolean();
    Thread swapping =
        Thread.ofPlatform()
            .start(() -> {
              while (!stop.get()) {
                try {
                  Files.move(victim, aside);
                  Files.createSymbolicLink(victim, canary.file());
                  Files.delete(victim);
                  Files.move(aside, victim);
                } catch (IOException e) {
                  try {
                    if (Files.exists(aside) && !Files.exists(victim, LinkOption.NOFOLLOW_LINKS)) {
                      Files.move(aside, victim);
                    }
                  } catch (IOException again) {
                    Thread.onSpinWait(); // the other side was quicker
                  }
                }
              }
            });
    try (Sandbox box = box()) {
      for (int i = 0; i < 20; i++) {
        shell(box, "echo round %d > file.txt; echo %d > new-%d".formatted(i, i, i));
        try {
          box.changes().apply(ApplyRequest.all().onConflict("theirs"));
        } catch (CoveApiException e) {
          assertThat(e.status()).as(e.detail()).isEqualTo(409);
        }
        canary.assertUntouched();
      }
    } finally {
      stop.set(true);
      swapping.join();
    }
  }

  @Test
  void very_many_files_are_listed_in_pages_and_the_server_lives_on() {
    try (Sandbox box = box()) {
      shell(box, "mkdir many; cd many; seq 1 5000 | xargs touch");
      var page = box.changes().list(ChangeQuery.all().limit(1_000));
      assertThat(page.total()).isEqualTo(5_001);
      assertThat(page.changes()).hasSize(1_000);
      var next =
          box.changes().list(ChangeQuery.all().limit(10_000).after(page.next().orElseThrow()));
      assertThat(next.changes()).hasSize(4_001);
      assertThat(next.next()).isEmpty();
    }
  }
}
