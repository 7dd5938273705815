package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.FileWatch;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FileWatchTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() {
    box = server.create();
  }

  @AfterAll
  static void delete() {
    box.close();
  }

  @Test
  void changes_in_a_folder_are_told_as_they_happen() throws Exception {
    files().mkdir("/home/user/watched/below");
    try (FileWatch watch = files().watch("/home/user/watched", true)) {
      box.exec(
          "sh",
          "-c",
          "cd ~/watched; echo 1 > new; echo 2 >> new; mv new below/moved; rm below/moved");
      List<String> changes = collectUntil(watch, "removed /home/user/watched/below/moved");
      assertThat(changes)
          .contains(
              "created /home/user/watched/new",
              "modified /home/user/watched/new",
              "moved_from /home/user/watched/new",
              "moved_to /home/user/watched/below/moved");
    }
  }

  @Test
  void a_watch_of_one_folder_keeps_quiet_about_those_below_it() throws Exception {
    files().mkdir("/home/user/flat/below");
    try (FileWatch watch = files().watch("/home/user/flat", false)) {
      files().write("/home/user/flat/below/unseen", "x");
      box.exec("sh", "-c", "mkdir ~/flat/seen");
      assertThat(collectUntil(watch, "created /home/user/flat/seen"))
          .noneMatch(change -> change.contains("unseen"));
    }
  }

  private static List<String> collectUntil(FileWatch watch, String last) throws Exception {
    var changes = new ArrayList<String>();
    CompletableFuture<Void> found =
        CompletableFuture.runAsync(
            () -> {
              while (!changes.contains(last)) {
                var change = watch.next();
                if (change.isEmpty()) {
                  throw new AssertionError("The watch ended after " + changes);
                }
                changes.add(change.get().kind() + " " + change.get().path());
              }
            },
            task -> Thread.ofPlatform().daemon().start(task));
    found.get(30, TimeUnit.SECONDS);
    return changes;
  }

  private static SandboxFiles files() {
    return box.files();
  }
}
