package dev.cove.review.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.apply.Base;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Version;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes that are spread over several layers, each written through a real overlay. */
class LayerStackTest {
  @TempDir Path temporary;
  private Path host;
  private int layers;

  @BeforeEach
  void makeFolders() throws IOException {
    host = Files.createDirectory(temporary.resolve("host"));
    Files.createDirectory(temporary.resolve("merged"));
    for (String path : List.of("a", "b", "dir/one", "dir/two", "deep/er/file")) {
      Path file = host.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, path + "\n");
    }
  }

  /** Each call writes to a layer of its own, over those before. */
  private void inside(String script) throws Exception {
    var below = new ArrayList<String>();
    for (int i = layers - 1; i >= 0; i--) {
      below.add("u" + i);
    }
    below.add("host");
    Files.createDirectory(temporary.resolve("u" + layers));
    Files.createDirectory(temporary.resolve("w" + layers));
    String mount =
        "mount -t overlay overlay -o lowerdir=%s,upperdir=u%d,workdir=w%d,redirect_dir=off,index=off,metacopy=off merged && cd merged && set -e\n"
            .formatted(String.join(":", below), layers, layers);
    layers++;
    Process shell =
        new ProcessBuilder("unshare", "--mount", "sh", "-c", mount + script)
            .directory(temporary.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(shell.waitFor()).as(said).isZero();
  }

  private Map<String, Change.Kind> changes(Bases bases) throws IOException {
    var folders = new ArrayList<HeldFolder>();
    for (int i = layers - 1; i >= 0; i--) {
      folders.add(HeldFolder.open(temporary.resolve("u" + i)));
    }
    try (LayerStack stack = new LayerStack(folders);
        HeldFolder under = HeldFolder.open(host)) {
      var rules =
          new OverlayChanges.Rules(
              Instant.parse("2999-01-01T00:00:00Z"), path -> false, bases, 1_000);
      var kinds = new TreeMap<String, Change.Kind>();
      OverlayChanges.read(stack, under, rules)
          .changes()
          .forEach(change -> kinds.put(change.path().text(), change.kind()));
      return kinds;
    }
  }

  @Test
  void the_uppermost_decides_about_each_path() throws Exception {
    inside("echo 1 > a; rm b; echo n > new; echo x >> dir/one");
    inside("echo 2 > a; echo back > b; rm new; rm dir/two");
    assertThat(changes(Bases.NONE))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "a", Change.Kind.CHANGED,
                "b", Change.Kind.CHANGED,
                "dir/one", Change.Kind.CHANGED,
                "dir/two", Change.Kind.DELETED));
  }

  @Test
  void a_folder_that_was_removed_and_made_again_hides_what_is_below() throws Exception {
    inside("echo x > dir/three; echo y >> deep/er/file");
    inside("rm -r dir deep");
    inside("mkdir dir; echo 1 > dir/one");
    assertThat(changes(Bases.NONE))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "dir/one", Change.Kind.CHANGED,
                "dir/two", Change.Kind.DELETED,
                "deep", Change.Kind.DELETED,
                "deep/er", Change.Kind.DELETED,
                "deep/er/file", Change.Kind.DELETED));
  }

  @Test
  void what_was_put_back_is_no_change() throws Exception {
    inside("cp a keep; echo 1 > a");
    inside("cat keep > a; rm keep");
    assertThat(changes(Bases.NONE)).isEmpty();
  }

  @Test
  void a_kept_base_is_what_counts() throws Exception {
    inside("echo applied > a; rm b; echo n > new");
    Map<TreePath, Base> kept =
        Map.of(
            new TreePath("a"), file("applied\n"),
            new TreePath("b"), new Base.Known(new Version.Absent()),
            new TreePath("new"), file("half of it\n"));
    assertThat(changes(path -> Optional.ofNullable(kept.get(path))))
        .containsExactlyEntriesOf(Map.of("new", Change.Kind.CHANGED));
  }

  private static Base file(String text) {
    return new Base.Known(
        new Version.File(Content.of(text.getBytes(StandardCharsets.UTF_8)), 0644));
  }
}
