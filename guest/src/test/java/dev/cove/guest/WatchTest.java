package dev.cove.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.guest.GuestFiles.FileChange;
import dev.cove.guest.GuestFiles.FileChange.Kind;
import dev.cove.guest.GuestFiles.FileWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class WatchTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private FileWatch watch(boolean recursive) throws IOException {
    return agent.link().files("root").watch(agent.work().toString(), recursive);
  }

  private static void expect(FileWatch watch, Kind kind, Path path) {
    FileChange wanted = new FileChange(kind, path.toString());
    for (int i = 0; i < 1000; i++) {
      FileChange change =
          watch.next(RunningAgent.PATIENCE).orElseThrow(() -> new AssertionError("No " + wanted));
      if (change.equals(wanted)) {
        return;
      }
    }
    throw new AssertionError("Among 1000 changes there is no " + wanted);
  }

  @Test
  void changes_of_a_folder_are_told_in_order() throws Exception {
    Path a = agent.work().resolve("a");
    Path b = agent.work().resolve("b");
    try (FileWatch watch = watch(false)) {
      Files.createFile(a);
      expect(watch, Kind.CREATED, a);
      Files.writeString(a, "x");
      expect(watch, Kind.MODIFIED, a);
      Files.setPosixFilePermissions(a, PosixFilePermissions.fromString("rw-------"));
      expect(watch, Kind.ATTRIBUTES, a);
      Files.move(a, b);
      expect(watch, Kind.MOVED_FROM, a);
      expect(watch, Kind.MOVED_TO, b);
      Files.delete(b);
      expect(watch, Kind.REMOVED, b);
      assertThat(watch.next(Duration.ofMillis(50))).isEmpty();
    }
  }

  @Test
  void folders_below_are_watched_only_when_asked_for() throws Exception {
    Path below = Files.createDirectory(agent.work().resolve("d"));
    try (FileWatch watch = watch(false)) {
      Files.createFile(below.resolve("unseen"));
      Path seen = Files.createFile(agent.work().resolve("seen"));
      assertThat(watch.next(RunningAgent.PATIENCE))
          .contains(new FileChange(Kind.CREATED, seen.toString()));
    }
  }

  @Test
  void a_folder_made_later_is_watched_with_all_that_is_already_in_it() throws Exception {
    try (FileWatch watch = watch(true)) {
      Path deep = Files.createDirectories(agent.work().resolve("x/y/z"));
      Files.createFile(deep.resolve("f"));
      expect(watch, Kind.CREATED, deep.resolve("f"));
      Files.createFile(deep.resolve("later"));
      expect(watch, Kind.CREATED, deep.resolve("later"));
    }
  }

  @Test
  void a_folder_that_was_moved_is_followed_under_its_new_name() throws Exception {
    Path old = Files.createDirectory(agent.work().resolve("old"));
    Path fresh = agent.work().resolve("fresh");
    try (FileWatch watch = watch(true)) {
      Files.move(old, fresh);
      expect(watch, Kind.MOVED_TO, fresh);
      Path file = fresh.resolve("f");
      // the new watch is set when the move has been dealt with
      Await.until(
          "a change below the new name",
          () -> {
            Files.deleteIfExists(file);
            Files.createFile(file);
            return watch
                .next(Duration.ofMillis(100))
                .filter(c -> c.path().equals(file.toString()))
                .isPresent();
          });
    }
  }

  @Test
  void the_end_of_the_folder_is_the_end_of_the_watch() throws Exception {
    Path folder = Files.createDirectory(agent.work().resolve("d"));
    try (FileWatch watch = agent.link().files("root").watch(folder.toString(), true)) {
      Files.delete(folder);
      expect(watch, Kind.REMOVED, folder);
      assertThatThrownBy(() -> watch.next(RunningAgent.PATIENCE))
          .isInstanceOf(GuestLinkException.class);
    }
  }

  @Test
  void a_storm_that_nobody_reads_ends_in_an_overflow_and_flat_memory() throws Exception {
    try (FileWatch watch = watch(false)) {
      for (int i = 0; i < 30_000; i++) {
        Path file = agent.work().resolve("f" + i % 2);
        Files.createFile(file);
        Files.delete(file);
      }
      assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
      boolean overflow = false;
      for (int i = 0; i < 100_000 && !overflow; i++) {
        overflow = watch.next(RunningAgent.PATIENCE).orElseThrow().kind() == Kind.OVERFLOW;
      }
      assertThat(overflow).isTrue();
    }
  }

  @Test
  void more_than_8192_folders_are_refused() throws Exception {
    for (int i = 0; i < 8200; i++) {
      Files.createDirectory(agent.work().resolve("d" + i));
    }
    assertThatThrownBy(() -> watch(true)).hasMessageContaining("8192");
    watch(false).close();
  }

  @Test
  void only_folders_that_the_user_may_read_are_watched() throws Exception {
    GuestFiles user = agent.link().files("1000");
    assertThatThrownBy(() -> user.watch("/root", false)).isInstanceOf(GuestException.class);
    assertThatThrownBy(() -> user.watch("/etc/passwd", false)).isInstanceOf(GuestException.class);
    assertThatThrownBy(() -> user.watch("/no/such", false)).isInstanceOf(GuestException.class);
  }
}
