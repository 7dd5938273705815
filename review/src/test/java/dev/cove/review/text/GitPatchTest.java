package dev.cove.review.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.text.GitPatch.Side;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written is what git reads. */
class GitPatchTest {
  @TempDir Path folder;

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Side file(String path, byte[] content) {
    return Side.file(new TreePath(path), content);
  }

  private void gitApplies(GitPatch patch) throws Exception {
    Path written =
        Files.write(folder.resolveSibling(folder.getFileName() + ".patch"), patch.bytes());
    try {
      Process git =
          new ProcessBuilder("git", "apply", "--whitespace=nowarn", written.toString())
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(git.waitFor())
          .as("%s%n%s", said, Files.readString(written, StandardCharsets.ISO_8859_1))
          .isZero();
    } finally {
      Files.delete(written);
    }
  }

  @Test
  void git_takes_additions_deletions_renames_modes_and_links() throws Exception {
    Files.writeString(folder.resolve("old"), "to go\n");
    Files.writeString(folder.resolve("moved"), "a\nb\nc\n");
    Files.writeString(folder.resolve("tool"), "run");
    var patch = new GitPatch();
    patch.added(file("new folder/with blank", text("one\ntwo")));
    patch.added(file("tab\tand\nline \"é\"", text("odd\n")));
    patch.deleted(file("old", text("to go\n")));
    patch.changed(file("moved", text("a\nb\nc\n")), file("there", text("a\nB\nc\n")));
    patch.changed(file("tool", text("run")), Side.program(new TreePath("tool"), text("run")));
    patch.added(Side.link(new TreePath("link"), "there"));
    gitApplies(patch);

    assertThat(folder.resolve("new folder/with blank")).hasContent("one\ntwo");
    assertThat(folder.resolve("tab\tand\nline \"é\"")).hasContent("odd\n");
    assertThat(folder.resolve("old")).doesNotExist();
    assertThat(folder.resolve("moved")).doesNotExist();
    assertThat(folder.resolve("there")).hasContent("a\nB\nc\n");
    assertThat(folder.resolve("tool")).isExecutable();
    assertThat(Files.readSymbolicLink(folder.resolve("link"))).isEqualTo(Path.of("there"));
  }

  @Test
  void git_makes_of_any_text_any_other() throws Exception {
    var patch = new GitPatch();
    var wanted = new ArrayList<byte[]>();
    for (int i = 0; i < 300; i++) {
      var random = new Random(i);
      byte[] before = anyText(random);
      byte[] after = random.nextBoolean() ? anyText(random) : edited(before, random);
      Files.write(folder.resolve("f" + i), before);
      patch.changed(file("f" + i, before), file("f" + i, after));
      wanted.add(after);
    }
    gitApplies(patch);
    for (int i = 0; i < wanted.size(); i++) {
      assertThat(folder.resolve("f" + i)).as("seed %d", i).hasBinaryContent(wanted.get(i));
    }
  }

  private static byte[] anyText(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(40); i >= 0; i--) {
      text.append("line ").append(random.nextInt(12)).append('\n');
    }
    return text(random.nextInt(4) == 0 ? text.toString().stripTrailing() : text.toString());
  }

  private static byte[] edited(byte[] before, Random random) {
    var lines =
        new ArrayList<>(Lines.of(before).all().stream().map(String::stripTrailing).toList());
    for (int i = 0; i < 3; i++) {
      int at = random.nextInt(lines.size());
      switch (random.nextInt(3)) {
        case 0 -> lines.add(at, "new " + i);
        case 1 -> lines.set(at, "changed " + i);
        default -> {
          if (lines.size() > 1) {
            var _ = lines.remove(at);
          }
        }
      }
    }
    return text(String.join("\n", lines) + (random.nextBoolean() ? "\n" : ""));
  }

  @Test
  void what_is_no_text_is_only_named() throws IOException {
    var patch = new GitPatch();
    patch.changed(file("x", new byte[] {0, 1}), file("x", new byte[] {0, 2}));
    assertThat(new String(patch.bytes(), StandardCharsets.UTF_8))
        .isEqualTo("diff --git a/x b/x\nBinary files a/x and b/x differ\n");
  }

  @Test
  void lines_are_counted() {
    assertThat(UnifiedDiff.stat(Lines.ofText("a\nb\nc\n"), Lines.ofText("a\nx\ny\nc\n")))
        .isEqualTo(new UnifiedDiff.Stat(2, 1));
    assertThat(UnifiedDiff.hunks(Lines.ofText("a\n"), Lines.ofText("a\n"), 3)).isEqualTo(List.of());
  }
}
