package dev.cove.review.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.cove.review.apply.Base;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Version;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptBasesTest {
  private static final TreePath PATH = new TreePath("a/file");

  @TempDir Path folder;

  private static Version file(String text) {
    return new Version.File(Content.of(text.getBytes(StandardCharsets.UTF_8)), 0644);
  }

  private static Base known(String text) {
    return new Base.Known(file(text));
  }

  private static String text(Base base) throws IOException {
    if (base instanceof Base.Known(Version.File(var content, var _))) {
      try (InputStream in = content.open()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
    return base.toString();
  }

  private String kept() throws IOException {
    return text(KeptBases.open(folder).find(PATH).orElseThrow());
  }

  @Test
  void what_was_kept_first_stays_and_survives_the_process() throws IOException {
    KeptBases bases = KeptBases.open(folder);
    bases.keep(Map.of(PATH, known("one")));
    bases.keep(
        Map.of(PATH, known("two"), new TreePath("gone"), new Base.Known(new Version.Absent())));
    assertThat(kept()).isEqualTo("one");
    assertThat(KeptBases.open(folder).find(new TreePath("gone")))
        .contains(new Base.Known(new Version.Absent()));
    assertThat(KeptBases.open(folder).find(new TreePath("other"))).isEmpty();
  }

  @Test
  void an_apply_moves_them_and_its_undo_moves_them_back() throws IOException {
    KeptBases bases = KeptBases.open(folder);
    bases.keep(Map.of(PATH, known("one")));
    bases.applied("first", Map.of(PATH, file("two")), Map.of(PATH, known("one")));
    assertThat(kept()).isEqualTo("two");
    KeptBases.open(folder).undone("unknown");
    KeptBases.open(folder).undone("first");
    assertThat(kept()).isEqualTo("one");
    try (Stream<Path> contents = Files.list(folder.resolve("contents"))) {
      assertThat(contents).as("contents that nobody needs any more go").hasSize(1);
    }
  }

  @Test
  void a_copy_goes_its_own_way(@TempDir Path other) throws IOException {
    KeptBases.open(folder).keep(Map.of(PATH, known("one")));
    KeptBases.copy(folder, other);
    KeptBases.open(other).applied("x", Map.of(PATH, file("two")), Map.of());
    assertThat(kept()).isEqualTo("one");
    assertThat(text(KeptBases.open(other).find(PATH).orElseThrow())).isEqualTo("two");
  }

  @Test
  void damage_is_noticed() throws IOException {
    KeptBases.open(folder).keep(Map.of(PATH, known("one")));
    byte[] bytes = Files.readAllBytes(folder.resolve("bases"));
    bytes[bytes.length / 2] ^= 1;
    Files.write(folder.resolve("bases"), bytes);
    assertThatIOException()
        .isThrownBy(() -> KeptBases.open(folder))
        .withMessageContaining("damaged");
  }
}
