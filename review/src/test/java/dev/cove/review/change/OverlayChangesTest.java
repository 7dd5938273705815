package dev.cove.review.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.cove.review.change.Change.Kind;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes that are made through a real overlay, in a mount namespace of their own. */
class OverlayChangesTest {
  private static final Instant LATER = Instant.parse("2999-01-01T00:00:00Z");

  @TempDir Path temporary;
  private Path host;
  private Path upper;

  @BeforeEach
  void makeFolders() throws IOException {
    host = Files.createDirectory(temporary.resolve("host"));
    upper = Files.createDirectory(temporary.resolve("upper"));
    Files.createDirectory(temporary.resolve("work"));
    Files.createDirectory(temporary.resolve("merged"));
  }

  private void write(String path, String text) throws IOException {
    Path file = host.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** Runs a script in the project, as the sandbox sees it. */
  private void inside(String script) throws Exception {
    String mount =
        "mount -t overlay overlay -o lowerdir=host,upperdir=upper,workdir=work,"
            + "redirect_dir=off,index=off,metacopy=off merged && cd merged && set -e\n";
    Process shell =
        new ProcessBuilder("unshare", "--mount", "sh", "-c", mount + script)
            .directory(temporary.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(shell.waitFor()).as(said).isZero();
  }

  private ChangeList read(Instant openedAt, Predicate<TreePath> hidden, int limit)
      throws IOException {
    try (LayerStack over = new LayerStack(List.of(HeldFolder.open(upper)));
        HeldFolder under = HeldFolder.open(host)) {
      return OverlayChanges.read(
          over, under, new OverlayChanges.Rules(openedAt, hidden, Bases.NONE, limit));
    }
  }

  private List<Change> changes() throws IOException {
    return read(LATER, path -> false, 10_000).changes();
  }

  private Map<String, Kind> kinds() throws IOException {
    return changes().stream()
        .collect(Collectors.toMap(change -> change.path().text(), Change::kind));
  }

  private Change change(String path) throws IOException {
    return changes().stream()
        .filter(change -> change.path().text().equals(path))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void every_kind_of_change_is_told() throws Exception {
    write("changed", "old\n");
    write("deleted", "x");
    write("mode", "x");
    write("touched", "same");
    write("moved", "a content of its own\n");
    write("folder/inner", "1");
    write("was-file", "f");
    write("was-folder/a", "a");
    write("was-folder/b/c", "c");
    write("untouched/file", "u");
    inside(
        """
        echo new > changed; rm deleted; chmod 755 mode; touch touched; mv moved elsewhere
        echo 2 > folder/second; rm was-file; mkdir was-file; echo i > was-file/inner
        rm -r was-folder; echo now > was-folder; mkdir empty; ln -s changed link
        """);
    assertThat(kinds())
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("changed", Kind.CHANGED),
                Map.entry("deleted", Kind.DELETED),
                Map.entry("mode", Kind.MODE),
                Map.entry("elsewhere", Kind.RENAMED),
                Map.entry("folder/second", Kind.ADDED),
                Map.entry("was-file", Kind.TYPE),
                Map.entry("was-file/inner", Kind.ADDED),
                Map.entry("was-folder", Kind.TYPE),
                Map.entry("was-folder/a", Kind.DELETED),
                Map.entry("was-folder/b", Kind.DELETED),
                Map.entry("was-folder/b/c", Kind.DELETED),
                Map.entry("empty", Kind.ADDED),
                Map.entry("link", Kind.ADDED)));
    assertThat(change("elsewhere").from()).hasValue(new TreePath("moved"));
  }

  @Test
  void a_folder_that_was_made_anew_hides_what_was_in_it() throws Exception {
    write("d/same", "same");
    write("d/other", "before");
    write("d/gone", "gone");
    write("d/sub/deep", "deep");
    inside("rm -r d; mkdir -p d/sub; printf same > d/same; printf after > d/other");
    assertThat(kinds())
        .isEqualTo(
            Map.of("d/other", Kind.CHANGED, "d/gone", Kind.DELETED, "d/sub/deep", Kind.DELETED));
  }

  @Test
  void a_folder_that_was_renamed_is_gone_there_and_came_here() throws Exception {
    write("old/a", "content of a");
    write("old/b", "content of b");
    inside("mv old new; echo more >> new/b");
    assertThat(kinds())
        .isEqualTo(
            Map.of(
                "old", Kind.DELETED,
                "new", Kind.ADDED,
                "new/a", Kind.RENAMED,
                "old/b", Kind.DELETED,
                "new/b", Kind.ADDED));
  }

  @Test
  void the_dangerous_comes_first() throws Exception {
    write("src/plain", "x\n");
    write(".git/config", "[core]\n");
    write("package.json", "{}");
    inside(
        """
        echo y > src/plain; mkdir .git/hooks; echo '#!/bin/sh' > .git/hooks/post-checkout
        chmod 755 .git/hooks/post-checkout; echo z >> .git/config; echo '{ }' > package.json
        echo l > Cargo.lock; mkdir -p .github/workflows; echo on > .github/workflows/x.yml
        ln -s /etc/passwd out; ln -s ../up up; ln -s src/plain in; mkfifo pipe
        echo s > suid; chmod 4755 suid; printf 'a\\000b' > binary; echo a > Readme; echo b > README
        echo p > .bashrc; truncate -s 11000000 big
        """);
    List<Change> all = changes();
    assertThat(all.getFirst().path().text()).startsWith(".git/hooks");
    assertThat(all.getLast().dangers()).isEmpty();
    assertThat(change(".git/hooks/post-checkout").dangers())
        .containsExactly(Danger.GIT_HOOK, Danger.EXECUTABLE);
    assertThat(change(".git/config").dangers()).containsExactly(Danger.GIT_INTERNALS);
    assertThat(change("package.json").dangers()).containsExactly(Danger.BUILD_SCRIPT);
    assertThat(change("Cargo.lock").dangers()).containsExactly(Danger.LOCK_FILE);
    assertThat(change(".github/workflows/x.yml").dangers()).containsExactly(Danger.CI);
    assertThat(change("out").dangers()).containsExactly(Danger.LINK_OUTSIDE);
    assertThat(change("up").dangers()).containsExactly(Danger.LINK_OUTSIDE);
    assertThat(change("in").dangers()).isEmpty();
    assertThat(change("pipe").dangers()).containsExactly(Danger.SPECIAL_FILE);
    assertThat(change("suid").dangers()).containsExactly(Danger.SET_ID, Danger.EXECUTABLE);
    assertThat(change("binary").dangers()).containsExactly(Danger.BINARY);
    assertThat(change("Readme").dangers()).containsExactly(Danger.CASE_TWIN);
    assertThat(change("README").dangers()).containsExactly(Danger.CASE_TWIN);
    assertThat(change(".bashrc").dangers()).containsExactly(Danger.SHELL_START);
    assertThat(change("big").dangers()).containsExactly(Danger.LARGE, Danger.BINARY);
    assertThat(change("src/plain").dangers()).isEmpty();
  }

  @Test
  void a_name_that_steers_terminals_is_marked_and_shown_escaped() throws Exception {
    inside("touch \"$(printf 'a\\033[31m\\nb')\"");
    Change change = changes().getFirst();
    assertThat(change.dangers()).containsExactly(Danger.ODD_NAME);
    assertThat(change.path().shown()).isEqualTo("a\\u{1b}[31m\\nb");
  }

  @Test
  void what_the_host_hides_is_not_looked_into() throws Exception {
    write(".env", "PASSWORD=canary\n");
    write("keys/id", "canary");
    inside("rm .env; echo mine > .env; rm -r keys; mkdir keys; echo k > keys/id; rm keys/id");
    ChangeList list =
        read(LATER, path -> path.text().equals(".env") || path.text().startsWith("keys"), 100);
    assertThat(list.changes())
        .extracting(
            change -> change.path().text(), Change::kind, change -> change.before().isPresent())
        .containsExactlyInAnyOrder(
            tuple(".env", Kind.ADDED, false), tuple("keys", Kind.ADDED, false));
    assertThat(list.changes())
        .allSatisfy(change -> assertThat(change.dangers()).contains(Danger.HIDDEN_NAME));
  }

  @Test
  void a_host_file_that_changed_since_the_opening_is_told() throws Exception {
    write("early", "1");
    write("late", "1");
    inside("echo 2 > early; echo 2 > late");
    Files.writeString(temporary.resolve("mark"), "now");
    var openedAt = (FileTime) Files.getAttribute(temporary.resolve("mark"), "unix:ctime");
    write("late", "edited on the host");
    assertThat(read(openedAt.toInstant(), path -> false, 10).changes())
        .extracting(change -> change.path().text(), Change::hostChanged)
        .containsExactlyInAnyOrder(tuple("early", false), tuple("late", true));
  }

  @Test
  void the_list_ends_at_its_limit_and_says_so() throws Exception {
    inside("for i in 1 2 3 4 5; do echo $i > f$i; done");
    assertThat(read(LATER, path -> false, 5))
        .satisfies(list -> assertThat(list.changes()).hasSize(5))
        .satisfies(list -> assertThat(list.truncated()).isFalse());
    ChangeList four = read(LATER, path -> false, 4);
    assertThat(four.changes()).hasSize(4);
    assertThat(four.truncated()).isTrue();
  }

  @Test
  void a_host_folder_that_became_a_link_meanwhile_is_not_entered() throws Exception {
    write("d/a", "1");
    inside("echo 2 > d/a; echo 3 > d/b");
    Files.move(host.resolve("d"), temporary.resolve("elsewhere"));
    Files.createSymbolicLink(host.resolve("d"), temporary.resolve("elsewhere"));
    assertThat(kinds()).isEqualTo(Map.of("d", Kind.TYPE, "d/a", Kind.ADDED, "d/b", Kind.ADDED));
  }
}
