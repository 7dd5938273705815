package dev.cove.review.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.file.ByteText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeldFolderTest {
  @TempDir Path temporary;
  private Path tree;
  private Path outside;
  private HeldFolder held;

  @BeforeEach
  void open() throws IOException {
    tree = Files.createDirectory(temporary.resolve("tree"));
    outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("canary"), "secret");
    held = HeldFolder.open(tree);
  }

  @AfterEach
  void close() throws IOException {
    held.close();
  }

  private static String text(InputStream in) throws IOException {
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void what_is_below_is_found_listed_and_read() throws Exception {
    Files.createDirectories(tree.resolve("a/b"));
    Files.writeString(tree.resolve("a/b/c"), "content");
    TreePath path = new TreePath("a/b/c");
    assertThat(text(held.read(path))).isEqualTo("content");
    assertThat(held.find(path)).map(Entry::size).hasValue(7L);
    assertThat(held.find(new TreePath("a/b/d"))).isEmpty();
    assertThat(held.find(new TreePath("a/b/c/d"))).isEmpty();
    assertThat(held.list(new TreePath("a"), 10)).containsOnlyKeys("b");
    assertThat(held.find(TreePath.ROOT)).map(Entry::kind).hasValue(Entry.Kind.FOLDER);
  }

  @Test
  void no_link_is_followed_on_the_way_or_at_its_end() throws Exception {
    Files.createSymbolicLink(tree.resolve("way"), outside);
    Files.createSymbolicLink(tree.resolve("end"), outside.resolve("canary"));
    Files.createDirectory(tree.resolve("in"));
    Files.createSymbolicLink(tree.resolve("inner"), Path.of("in"));
    assertThatThrownBy(() -> held.read(new TreePath("way/canary")))
        .hasMessageContaining("symbolic link");
    assertThatThrownBy(() -> held.read(new TreePath("end"))).hasMessageContaining("symbolic link");
    assertThatThrownBy(() -> held.folder(new TreePath("way"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> held.find(new TreePath("inner/x")))
        .isInstanceOf(FileCallException.class);
    assertThat(held.find(new TreePath("end"))).map(Entry::kind).hasValue(Entry.Kind.LINK);
    assertThat(held.linkTarget(new TreePath("end"))).isEqualTo(outside + "/canary");
  }

  @Test
  void a_folder_that_is_swapped_for_a_link_stays_the_folder_that_it_was() throws Exception {
    Files.createDirectory(tree.resolve("d"));
    try (HeldFolder inner = held.folder(new TreePath("d"))) {
      Files.move(tree.resolve("d"), tree.resolve("gone"));
      Files.createSymbolicLink(tree.resolve("d"), outside);
      try (OutputStream out = inner.create("new", 0600)) {
        out.write('x');
      }
    }
    assertThat(tree.resolve("gone/new")).hasContent("x");
    assertThat(outside.resolve("new")).doesNotExist();
  }

  @Test
  void a_pipe_is_refused_and_not_waited_for() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", tree.resolve("pipe").toString()).start().waitFor())
        .isZero();
    assertThat(held.find(new TreePath("pipe"))).map(Entry::kind).hasValue(Entry.Kind.SPECIAL);
    assertThatThrownBy(() -> held.read(new TreePath("pipe"))).hasMessageContaining("no file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "a/../b", "/a", "a//b", "a/.", "a/", "a\0b"})
  void a_path_that_leads_elsewhere_is_none(String text) {
    assertThatThrownBy(() -> new TreePath(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void names_are_never_replaced_by_accident() throws Exception {
    Files.writeString(tree.resolve("one"), "1");
    Files.writeString(tree.resolve("two"), "2");
    assertThatThrownBy(() -> held.move("one", held, "two"))
        .isInstanceOfSatisfying(
            FileCallException.class, e -> assertThat(e.meansOccupied()).isTrue());
    held.exchange("one", held, "two");
    assertThat(tree.resolve("one")).hasContent("2");
    assertThatThrownBy(() -> held.create("one", 0600)).isInstanceOf(FileCallException.class);
    assertThatThrownBy(() -> held.remove("../outside/canary"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void any_bytes_are_a_name_and_become_the_same_bytes_again() throws Exception {
    byte[] name = {'a', (byte) 0xff, (byte) 0xc3, 'b', (byte) 0xe2, (byte) 0x82};
    String text = ByteText.decode(name);
    assertThat(ByteText.encode(text)).isEqualTo(name);
    try (OutputStream out = held.create(text, 0644)) {
      out.write('x');
    }
    assertThat(held.names(TreePath.ROOT, 10)).isEqualTo(List.of(text));
    assertThat(text(held.read(new TreePath(text)))).isEqualTo("x");
    assertThat(ByteText.shown(text)).isEqualTo("a\\xff\\xc3b\\xe2\\x82");
    held.remove(text);
  }

  @Test
  void nothing_that_is_shown_steers_a_terminal() {
    assertThat(ByteText.shown("a\u001b[2Jb\nc\td\u202ee\u0085\\"))
        .isEqualTo("a\\u{1b}[2Jb\\nc\\td\\u{202e}e\\u{85}\\\\");
    assertThat(ByteText.shown("käse 漢字 🙂")).isEqualTo("käse 漢字 🙂");
  }

  @Test
  void a_folder_with_too_much_in_it_is_refused() throws Exception {
    for (int i = 0; i < 4; i++) {
      Files.createFile(tree.resolve("f" + i));
    }
    assertThat(held.list(TreePath.ROOT, 4)).hasSize(4);
    assertThatThrownBy(() -> held.list(TreePath.ROOT, 3))
        .isInstanceOf(TooManyEntriesException.class);
    assertThat(held.names(TreePath.ROOT, 3)).hasSize(3);
  }

  @Test
  void what_is_removed_may_be_gone_already() throws Exception {
    held.remove("nothing");
    assertThat(held.find(new TreePath("nothing"))).isEqualTo(Optional.empty());
  }
}
