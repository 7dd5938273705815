package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class FilesTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private GuestFiles files() throws IOException {
    return agent.link().files("root");
  }

  private String path(String name) {
    return agent.work().resolve(name).toString();
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static FileInfo write(GuestFiles files, String path, String text) {
    return files.write(path, bytes(text), OptionalInt.empty(), false);
  }

  private static String read(GuestFiles files, String path) throws IOException {
    try (FileContent content = files.read(path, 0, -1)) {
      return new String(content.stream().readAllBytes(), UTF_8);
    }
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(GuestException.class)
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(code);
  }

  /** What goes while we look is none. */
  private long leftovers() throws IOException {
    try (Stream<Path> all = Files.walk(agent.work())) {
      return all.filter(p -> p.getFileName().toString().endsWith(".tmp"))
          .filter(Files::exists)
          .count();
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return leftovers();
      }
      throw e;
    }
  }

  @Test
  void what_was_written_can_be_read_whole_and_in_part() throws Exception {
    GuestFiles files = files();
    FileInfo info = write(files, path("a"), "hello world");
    assertThat(info.size()).isEqualTo(11);
    assertThat(info.mode()).isEqualTo(0644);
    assertThat(info.type()).isEqualTo(FileInfo.Type.FILE);
    assertThat(read(files, path("a"))).isEqualTo("hello world");
    try (FileContent part = files.read(path("a"), 6, 3)) {
      assertThat(part.info().size()).isEqualTo(11);
      assertThat(new String(part.stream().readAllBytes(), UTF_8)).isEqualTo("wor");
    }
    try (FileContent past = files.read(path("a"), 100, -1)) {
      assertThat(past.stream().readAllBytes()).isEmpty();
    }
  }

  @Test
  void a_file_of_proc_that_says_it_is_empty_is_read_to_its_end() throws Exception {
    assertThat(read(files(), "/proc/version")).startsWith("Linux version");
  }

  @Test
  void a_replaced_file_keeps_its_mode_and_owner_unless_a_mode_is_given() throws Exception {
    GuestFiles files = files();
    Path file = agent.work().resolve("a");
    Files.writeString(file, "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
    Files.setAttribute(file, "unix:uid", 1000);
    Files.setAttribute(file, "unix:gid", 1000);
    FileInfo kept = write(files, path("a"), "new");
    assertThat(kept.mode()).isEqualTo(0750);
    assertThat(kept.uid()).isEqualTo(1000);
    assertThat(files.write(path("a"), bytes("x"), OptionalInt.of(0600), false).mode())
        .isEqualTo(0600);
  }

  @Test
  void missing_folders_are_made_only_when_asked_for() throws Exception {
    GuestFiles files = files();
    assertRefused(ErrorCode.NOT_FOUND, () -> write(files, path("x/y/z"), "1"));
    files.write(path("x/y/z"), bytes("1"), OptionalInt.empty(), true);
    assertThat(read(files, path("x/y/z"))).isEqualTo("1");
  }

  @Test
  void nothing_changes_and_nothing_is_left_when_the_content_fails() throws Exception {
    GuestFiles files = files();
    write(files, path("a"), "old");
    InputStream failing =
        new InputStream() {
          private int count;

          @Override
          public int read() {
            return 'x';
          }

          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            if (count++ == 50) {
              throw new IOException("the client went away");
            }
            return length;
          }
        };
    assertThatThrownBy(() -> files.write(path("a"), failing, OptionalInt.empty(), false))
        .hasMessageContaining("can't be read");
    assertThat(read(files, path("a"))).isEqualTo("old");
    // The agent works on one link in order, so its CLOSE for the broken write came before this.
    Await.until("the temporary file is gone", () -> leftovers() == 0);
  }

  @Test
  void losing_the_link_in_the_middle_of_a_write_leaves_nothing() throws Exception {
    GuestLink link = agent.link();
    InputStream closing =
        new InputStream() {
          private int count;

          @Override
          public int read() {
            return 'x';
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            if (count++ == 50) {
              link.close();
            }
            return length;
          }
        };
    assertThatThrownBy(
            () -> link.files("root").write(path("a"), closing, OptionalInt.empty(), false))
        .isInstanceOf(GuestLinkException.class);
    Await.until("the temporary file is gone", () -> leftovers() == 0);
    assertThat(agent.work().resolve("a")).doesNotExist();
  }

  @Test
  void a_user_gets_only_what_his_rights_allow() throws Exception {
    GuestFiles user = agent.link().files("1000");
    Path secret = Files.writeString(agent.work().resolve("secret"), "s");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> read(user, path("secret")));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> write(user, path("secret"), "mine"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> user.chmod(path("secret"), 0777));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> write(user, "/etc/cove-test", "x"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> user.mkdir("/cove-test", 0755, false));
    assertThat(write(user, path("own"), "x").uid()).isEqualTo(1000);
    assertThat(Files.readString(secret)).isEqualTo("s");
  }

  @Test
  void rights_of_one_call_do_not_stay_for_the_next() throws Exception {
    GuestLink link = agent.link();
    write(link.files("1000"), path("u"), "x");
    assertThat(write(link.files("root"), path("r"), "x").uid()).isZero();
    assertThat(write(link.files("1000"), path("v"), "x").uid()).isEqualTo(1000);
  }

  @Test
  void only_ordinary_files_are_read_and_written() throws Exception {
    GuestFiles files = files();
    new ProcessBuilder("mkfifo", path("fifo")).start().waitFor();
    assertRefused(ErrorCode.GUEST_REFUSED, () -> read(files, path("fifo")));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> write(files, path("fifo"), "x"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> read(files, "/dev/zero"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> read(files, agent.work().toString()));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> write(files, agent.work().toString(), "x"));
  }

  @Test
  void a_link_that_is_written_to_stays_and_what_it_names_is_replaced() throws Exception {
    GuestFiles files = files();
    write(files, path("target"), "old");
    files.symlink(path("link"), "target");
    write(files, path("link"), "new");
    assertThat(Files.isSymbolicLink(agent.work().resolve("link"))).isTrue();
    assertThat(read(files, path("target"))).isEqualTo("new");
    files.symlink(path("loop1"), "loop2");
    files.symlink(path("loop2"), "loop1");
    assertRefused(ErrorCode.GUEST_REFUSED, () -> write(files, path("loop1"), "x"));
  }

  @Test
  void links_of_proc_lead_nowhere() throws Exception {
    GuestFiles files = files();
    write(files, path("canary"), "old");
    for (String trick :
        new String[] {"/proc/self/fd/3", "/proc/self/exe", "/proc/self/root" + path("canary")}) {
      assertThatThrownBy(() -> read(files, trick)).isInstanceOf(GuestException.class);
      assertThatThrownBy(() -> write(files, trick, "x")).isInstanceOf(GuestException.class);
    }
    assertThat(read(files, path("canary"))).isEqualTo("old");
    assertThat(agent.isAlive()).isTrue();
  }

  @Test
  void chmod_refuses_a_symbolic_link() throws Exception {
    GuestFiles files = files();
    write(files, path("a"), "x");
    files.symlink(path("link"), path("a"));
    assertRefused(ErrorCode.GUEST_REFUSED, () -> files.chmod(path("link"), 0777));
    files.chmod(path("a"), 0400);
    assertThat(files.stat(path("a"), true).mode()).isEqualTo(0400);
  }

  @Test
  void stat_shows_a_link_or_what_it_names() throws Exception {
    GuestFiles files = files();
    write(files, path("a"), "abc");
    files.symlink(path("link"), "a");
    FileInfo link = files.stat(path("link"), false);
    assertThat(link.type()).isEqualTo(FileInfo.Type.SYMLINK);
    assertThat(link.linkTarget()).isEqualTo("a");
    assertThat(files.stat(path("link"), true).size()).isEqualTo(3);
    assertRefused(ErrorCode.NOT_FOUND, () -> files.stat(path("none"), true));
  }

  @Test
  void a_listing_goes_as_deep_and_as_far_as_asked() throws Exception {
    GuestFiles files = files();
    files.mkdir(path("d/e/f"), 0755, true);
    write(files, path("d/one"), "1");
    write(files, path("d/e/two"), "22");
    files.symlink(path("d/up"), "..");
    Listing flat = files.list(path("d"), 1, 100);
    assertThat(flat.entries())
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrder(path("d/e"), path("d/one"), path("d/up"));
    assertThat(flat.truncated()).isFalse();
    assertThat(files.list(path("d"), 9, 100).entries())
        .extracting(FileInfo::path)
        .contains(path("d/e/f"), path("d/e/two"))
        .hasSize(5);
    assertThat(files.list(path("d"), 9, 2).truncated()).isTrue();
    assertThat(files.list(path("d"), 9, 2).entries()).hasSize(2);
    assertRefused(ErrorCode.GUEST_REFUSED, () -> files.list(path("d/one"), 1, 10));
  }

  @Test
  void moving_refuses_to_replace_unless_told_to() throws Exception {
    GuestFiles files = files();
    write(files, path("a"), "a");
    write(files, path("b"), "b");
    assertRefused(ErrorCode.CONFLICT, () -> files.move(path("a"), path("b"), false));
    files.move(path("a"), path("b"), true);
    assertThat(read(files, path("b"))).isEqualTo("a");
    assertRefused(ErrorCode.NOT_FOUND, () -> files.move(path("a"), path("c"), false));
  }

  @Test
  void a_folder_that_is_not_empty_is_removed_only_recursively() throws Exception {
    GuestFiles files = files();
    files.mkdir(path("d/e"), 0755, true);
    write(files, path("d/e/f"), "x");
    files.symlink(path("d/out"), "/etc");
    assertRefused(ErrorCode.CONFLICT, () -> files.remove(path("d"), false));
    files.remove(path("d"), true);
    assertThat(agent.work().resolve("d")).doesNotExist();
    assertThat(Path.of("/etc/passwd")).exists();
    assertRefused(ErrorCode.NOT_FOUND, () -> files.remove(path("d"), true));
  }

  @Test
  void removing_a_link_leaves_what_it_names() throws Exception {
    GuestFiles files = files();
    files.mkdir(path("d"), 0755, false);
    write(files, path("d/f"), "x");
    files.symlink(path("link"), "d");
    files.remove(path("link"), true);
    assertThat(Files.exists(agent.work().resolve("link"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(read(files, path("d/f"))).isEqualTo("x");
  }

  @Test
  void names_that_only_look_like_paths_are_refused() throws Exception {
    GuestFiles files = files();
    for (String bad :
        new String[] {"relative", "", "/a\0b", "/tmp/..", "/", "/" + "n".repeat(300)}) {
      assertThatThrownBy(() -> files.remove(bad, true)).isInstanceOf(GuestException.class);
      assertThatThrownBy(() -> write(files, bad, "x")).isInstanceOf(GuestException.class);
    }
    assertThatThrownBy(() -> files.stat("/" + "d/".repeat(50_000), true))
        .isInstanceOf(GuestException.class);
    assertThatThrownBy(() -> agent.link().files("no-such-user").stat("/", true))
        .hasMessageContaining("no-such-user");
  }

  @Test
  void odd_names_come_back_as_they_were_given() throws Exception {
    GuestFiles files = files();
    for (String name :
        new String[] {"-rf", "$(id)", "new\nline", "späce é", "😀", "n".repeat(255)}) {
      write(files, path(name), name);
      assertThat(read(files, path(name))).isEqualTo(name);
    }
    assertThat(files.list(agent.work().toString(), 1, 100).entries())
        .extracting(f -> Path.of(f.path()).getFileName().toString())
        .contains("new\nline", "😀", "n".repeat(255));
  }
}
