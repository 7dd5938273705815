package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sandbox fills an archive with must stay below the folder that was named. */
class UnpackerTest {
  @TempDir private Path folder;
  private Path target;
  private Path outside;

  /** Writes entries exactly as told. */
  private static final class Archive {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar;

    Archive() throws IOException {
      tar = new TarArchiveOutputStream(new GZIPOutputStream(bytes), StandardCharsets.UTF_8.name());
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    Archive file(String name, String content, int mode) throws IOException {
      byte[] data = content.getBytes(StandardCharsets.UTF_8);
      var entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
      entry.setSize(data.length);
      entry.setMode(mode);
      tar.putArchiveEntry(entry);
      tar.write(data);
      tar.closeArchiveEntry();
      return this;
    }

    Archive file(String name) throws IOException {
      return file(name, "hostile", 0644);
    }

    Archive special(String name, byte kind, String link) throws IOException {
      var entry = new TarArchiveEntry(name, kind, true);
      entry.setLinkName(link);
      entry.setMode(0755);
      tar.putArchiveEntry(entry);
      tar.closeArchiveEntry();
      return this;
    }

    Archive link(String name, String to) throws IOException {
      return special(name, TarConstants.LF_SYMLINK, to);
    }

    Archive folder(String name) throws IOException {
      return special(name, TarConstants.LF_DIR, "");
    }

    byte[] end() throws IOException {
      tar.close();
      return bytes.toByteArray();
    }
  }

  @BeforeEach
  void prepare() throws IOException {
    target = Files.createDirectory(folder.resolve("target"));
    outside = Files.createDirectory(folder.resolve("outside"));
  }

  private Unpacker unpack(Archive archive) throws IOException {
    var unpacker = new Unpacker(target);
    unpacker.unpack(new ByteArrayInputStream(archive.end()));
    return unpacker;
  }

  private void assertNothingOutside() throws IOException {
    try (Stream<Path> below = Files.walk(folder)) {
      assertThat(below.filter(path -> !path.startsWith(target)))
          .containsExactlyInAnyOrder(folder, outside);
    }
  }

  @Test
  void files_folders_links_and_modes_come_out_as_they_went_in() throws IOException {
    unpack(
        new Archive()
            .folder("a/")
            .file("a/run.sh", "echo", 0755)
            .file("a/deep/er/x", "x", 0600)
            .link("a/deep/up", "../run.sh"));
    assertThat(target.resolve("a/run.sh")).hasContent("echo").isExecutable();
    assertThat(Modes.octal(target.resolve("a/deep/er/x"))).isEqualTo("0600");
    assertThat(target.resolve("a/deep/up")).isSymbolicLink().hasContent("echo");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../outside/x", "a/../../outside/x", "/tmp/cove-test-x", "a/..", ".."})
  void a_name_that_climbs_out_is_refused(String name) throws IOException {
    Archive archive = new Archive().file(name);
    assertThatThrownBy(() -> unpack(archive)).isInstanceOf(UserError.class);
    assertNothingOutside();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/passwd", "../outside", "..", "a/../../outside", "x/y/../z"})
  void a_link_that_may_lead_out_is_left_out_and_named(String to) throws IOException {
    Unpacker unpacker = unpack(new Archive().link("link", to));
    assertThat(target.resolve("link")).doesNotExist();
    assertThat(unpacker.leftOut()).singleElement().asString().startsWith("link:");
  }

  @Test
  void a_chain_of_links_does_not_lead_out_either() throws IOException {
    // Each step looks harmless by itself: "up" is the root, and the root's parent is outside.
    unpack(new Archive().folder("x/y/").link("x/y/up", "../..").link("out", "x/y/up/../outside"));
    assertThat(Files.exists(target.resolve("out"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void nothing_is_written_through_a_link_of_the_archive() throws IOException {
    Archive archive = new Archive().folder("real/").link("link", "real").file("link/x");
    assertThatThrownBy(() -> unpack(archive)).isInstanceOf(UserError.class);
    assertThat(target.resolve("real/x")).doesNotExist();
  }

  @Test
  void nothing_is_written_through_a_link_that_was_there_before() throws IOException {
    Files.createSymbolicLink(target.resolve("sub"), outside);
    assertThatThrownBy(() -> unpack(new Archive().file("sub/x"))).isInstanceOf(UserError.class);
    assertNothingOutside();
  }

  @Test
  void a_file_replaces_a_link_instead_of_writing_to_where_it_leads() throws IOException {
    Path victim = Files.writeString(outside.resolve("victim"), "precious");
    Files.createSymbolicLink(target.resolve("x"), victim);
    unpack(new Archive().file("x"));
    assertThat(victim).hasContent("precious");
    assertThat(target.resolve("x")).isRegularFile().hasContent("hostile");
    assertThat(Files.isSymbolicLink(target.resolve("x"))).isFalse();
  }

  @Test
  void devices_pipes_and_hard_links_are_left_out() throws IOException {
    Path victim = Files.writeString(outside.resolve("victim"), "precious");
    Unpacker unpacker =
        unpack(
            new Archive()
                .special("disk", TarConstants.LF_BLK, "")
                .special("tty", TarConstants.LF_CHR, "")
                .special("pipe", TarConstants.LF_FIFO, "")
                .special("hard", TarConstants.LF_LINK, victim.toString()));
    assertThat(unpacker.leftOut()).hasSize(4);
    assertThat(target).isEmptyDirectory();
  }

  @Test
  void set_id_bits_stay_behind() throws IOException {
    unpack(new Archive().file("su", "x", 06755));
    assertThat(Files.getAttribute(target.resolve("su"), "unix:mode")).isEqualTo(0100755);
  }

  @Test
  void an_archive_that_breaks_off_is_an_error() throws IOException {
    byte[] whole = new Archive().file("a", "x".repeat(5_000), 0644).file("b").end();
    byte[] half = Arrays.copyOf(whole, whole.length / 2);
    assertThatThrownBy(() -> new Unpacker(target).unpack(new ByteArrayInputStream(half)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void a_thousand_refusals_are_not_a_thousand_lines() throws IOException {
    var archive = new Archive();
    for (int i = 0; i < 1_000; i++) {
      archive.link("l" + i, "/etc");
    }
    assertThat(unpack(archive).leftOut()).hasSize(21).last().asString().isEqualTo("980 more");
  }
}
