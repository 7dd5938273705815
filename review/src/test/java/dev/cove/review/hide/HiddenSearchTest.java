package dev.cove.review.hide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HiddenSearchTest {
  @TempDir Path project;
  private final HiddenSearch search = new HiddenSearch();

  private void write(String path, String text) throws IOException {
    Path file = project.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private List<String> found() throws IOException {
    try (HeldFolder root = HeldFolder.open(project)) {
      return search.find(project, root, HidingRules.of("", List.of(), List.of())).found().stream()
          .map(TreePath::text)
          .toList();
    }
  }

  @Test
  void everything_is_found_however_deep_and_again_after_it_changed() throws IOException {
    write(".env", "x");
    write("a/b/c/id_rsa", "x");
    write("a/.ssh/config", "x");
    write("a/plain.txt", "x");
    Files.createSymbolicLink(project.resolve("link"), Path.of("/etc"));
    assertThat(found()).containsExactly(".env", "a/.ssh", "a/b/c/id_rsa");
    assertThat(found()).containsExactly(".env", "a/.ssh", "a/b/c/id_rsa");
    write("a/b/new/server.key", "x");
    Files.delete(project.resolve("a/b/c/id_rsa"));
    assertThat(found()).containsExactly(".env", "a/.ssh", "a/b/new/server.key");
  }

  @Test
  void a_settings_file_is_hidden_while_there_is_a_token_in_it() throws IOException {
    write(".npmrc", "registry=https://registry.example\n");
    assertThat(found()).isEmpty();
    Files.writeString(project.resolve(".npmrc"), "//registry.example/:_authToken=x\n");
    assertThat(found()).containsExactly(".npmrc");
  }
}
