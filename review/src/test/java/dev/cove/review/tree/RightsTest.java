package dev.cove.review.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Root acts as somebody else, and can do no more than they. */
class RightsTest {
  private static final int OWNER = 4711;
  private static final Rights AS_OWNER = new Rights.OfOwner(OWNER, OWNER);

  @TempDir Path folder;

  @BeforeEach
  void giveAway() throws IOException {
    Files.writeString(folder.resolve("roots"), "secret");
    Files.setPosixFilePermissions(
        folder.resolve("roots"), PosixFilePermissions.fromString("rw-------"));
    Files.createDirectory(folder.resolve("closed"));
    Files.setPosixFilePermissions(
        folder.resolve("closed"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setAttribute(folder, "unix:uid", OWNER);
    Files.setAttribute(folder, "unix:gid", OWNER);
  }

  @Test
  void what_is_made_is_theirs_and_what_is_not_theirs_stays_closed() throws IOException {
    boolean _ =
        Rights.apart(() -> {
          try (HeldFolder held = HeldFolder.open(folder, AS_OWNER)) {
            try (OutputStream out = held.create("made", 0640)) {
              out.write('x');
            }
            held.makeFolder("sub", 0700);
            assertThatThrownBy(() -> held.read(new TreePath("roots")).close())
                .isInstanceOf(FileCallException.class)
                .hasMessageContaining("not permitted");
            try (HeldFolder closed = held.folder(new TreePath("closed"))) {
              assertThatThrownBy(() -> closed.makeFolder("in", 0700))
                  .isInstanceOf(FileCallException.class);
            }
          }
          return true;
        });
    assertThat(Files.getAttribute(folder.resolve("made"), "unix:uid")).isEqualTo(OWNER);
    assertThat(Files.getAttribute(folder.resolve("made"), "unix:gid")).isEqualTo(OWNER);
    assertThat(Files.getAttribute(folder.resolve("sub"), "unix:uid")).isEqualTo(OWNER);
    assertThat(folder.resolve("closed/in")).doesNotExist();
  }

  @Test
  void between_its_calls_the_thread_is_itself() throws IOException {
    String read =
        Rights.apart(() -> {
          try (HeldFolder held = HeldFolder.open(folder, AS_OWNER)) {
            held.makeFolder("sub", 0700);
            return Files.readString(folder.resolve("roots"));
          }
        });
    assertThat(read).isEqualTo("secret");
  }

  @Test
  void a_virtual_thread_is_refused() throws Exception {
    Thread.ofVirtual()
        .start(() ->
            assertThatThrownBy(() -> AS_OWNER.run(() -> 1))
                .isInstanceOf(IllegalStateException.class))
        .join();
  }
}
