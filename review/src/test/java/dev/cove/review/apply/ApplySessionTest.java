package dev.cove.review.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.review.apply.ApplySession.Outcome;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplySessionTest {
  private static final String TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

  @TempDir Path temporary;
  private Workshop shop;

  @BeforeEach
  void open() throws IOException {
    shop = new Workshop(temporary);
  }

  @AfterEach
  void close() throws IOException {
    shop.close();
  }

  private ApplyPlan plan(Resolution resolution) throws IOException {
    try (ApplySession session = shop.session()) {
      return session.plan(shop.proposals(), resolution);
    }
  }

  private Outcome apply(Resolution resolution) throws IOException {
    try (ApplySession session = shop.session()) {
      return session.apply(session.plan(shop.proposals(), resolution));
    }
  }

  private void manyChanges() throws IOException {
    shop.everywhere("kept", "kept");
    shop.everywhere("changed", "old");
    shop.everywhere("deleted", "x");
    shop.everywhere("tool", "run");
    shop.everywhere("file-to-folder", "f");
    shop.everywhere("folder-to-file/a/b", "b");
    shop.everywhere("gone/one", "1");
    shop.everywhere("gone/deep/two", "2");
    Workshop.write(shop.sandbox, "changed", "new");
    Workshop.write(shop.sandbox, "added/in/folders", "a");
    Workshop.remove(shop.sandbox.resolve("deleted"));
    Workshop.remove(shop.sandbox.resolve("gone"));
    Workshop.remove(shop.sandbox.resolve("file-to-folder"));
    Workshop.write(shop.sandbox, "file-to-folder/inner", "i");
    Workshop.remove(shop.sandbox.resolve("folder-to-file"));
    Workshop.write(shop.sandbox, "folder-to-file", "now a file");
    Files.createSymbolicLink(shop.sandbox.resolve("link"), Path.of("changed"));
    Files.setPosixFilePermissions(
        shop.sandbox.resolve("tool"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void what_only_the_sandbox_changed_is_applied_whole() throws Exception {
    manyChanges();
    assertThat(apply(Resolution.REFUSE)).isInstanceOf(Outcome.Applied.class);
    assertThat(Workshop.picture(shop.host)).isEqualTo(Workshop.picture(shop.sandbox));
  }

  @Test
  void an_apply_is_undone_and_done_again() throws Exception {
    manyChanges();
    SortedMap<String, String> before = Workshop.picture(shop.host);
    var _ = apply(Resolution.REFUSE);
    try (ApplySession session = shop.session()) {
      assertThat(session.undo()).containsInstanceOf(Outcome.Applied.class);
      assertThat(Workshop.picture(shop.host)).isEqualTo(before);
      assertThat(session.undo()).isEmpty();
    }
    var _ = apply(Resolution.REFUSE);
    assertThat(Workshop.picture(shop.host)).isEqualTo(Workshop.picture(shop.sandbox));
  }

  @Test
  void an_undo_never_takes_what_was_edited_since() throws Exception {
    manyChanges();
    var _ = apply(Resolution.REFUSE);
    Workshop.write(shop.host, "changed", "edited after it was applied");
    SortedMap<String, String> edited = Workshop.picture(shop.host);
    try (ApplySession session = shop.session()) {
      assertThat(session.undo()).hasValue(new Outcome.TakenBack(List.of(new TreePath("changed"))));
    }
    assertThat(Workshop.picture(shop.host)).isEqualTo(edited);
  }

  @Test
  void edits_of_both_are_merged_where_they_do_not_meet() throws Exception {
    shop.everywhere("text", TEN);
    Workshop.write(shop.sandbox, "text", TEN.replace("2\n", "sandbox\n"));
    Workshop.write(shop.host, "text", TEN.replace("9\n", "host\n"));
    assertThat(apply(Resolution.REFUSE)).isInstanceOf(Outcome.Applied.class);
    assertThat(shop.host.resolve("text"))
        .hasContent(TEN.replace("2\n", "sandbox\n").replace("9\n", "host\n"));
  }

  @Test
  void a_conflict_stops_all_of_it() throws Exception {
    shop.everywhere("text", TEN);
    shop.everywhere("other", "1");
    Workshop.write(shop.sandbox, "text", TEN.replace("2\n", "sandbox\n"));
    Workshop.write(shop.sandbox, "other", "2");
    Workshop.write(shop.host, "text", TEN.replace("2\n", "host\n"));
    ApplyPlan plan = plan(Resolution.REFUSE);
    assertThat(plan.contested())
        .containsExactly(
            new ApplyPlan.Note(new TreePath("text"), "both changed the same lines, in 1 places"));
    SortedMap<String, String> before = Workshop.picture(shop.host);
    try (ApplySession session = shop.session()) {
      assertThatThrownBy(() -> session.apply(plan)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Workshop.picture(shop.host)).isEqualTo(before);
  }

  @Test
  void a_conflict_is_decided_as_asked() throws Exception {
    shop.everywhere("text", "a\n");
    Workshop.write(shop.sandbox, "text", "sandbox\n");
    Workshop.write(shop.host, "text", "host\n");
    var _ = apply(Resolution.OURS);
    assertThat(shop.host.resolve("text")).hasContent("host\n");
    var _ = apply(Resolution.MARKERS);
    assertThat(shop.host.resolve("text"))
        .hasContent("<<<<<<< host\nhost\n||||||| before\na\n=======\nsandbox\n>>>>>>> sandbox\n");
    var _ = apply(Resolution.THEIRS);
    assertThat(shop.host.resolve("text")).hasContent("sandbox\n");
  }

  @Test
  void what_the_host_deleted_or_made_itself_is_a_conflict() throws Exception {
    shop.everywhere("deleted-here", "1");
    shop.everywhere("deleted-there", "1");
    Workshop.write(shop.sandbox, "deleted-here", "2");
    Workshop.remove(shop.host.resolve("deleted-here"));
    Workshop.remove(shop.sandbox.resolve("deleted-there"));
    Workshop.write(shop.host, "deleted-there", "2");
    Workshop.write(shop.sandbox, "new-in-both", "s");
    Workshop.write(shop.host, "new-in-both", "h");
    assertThat(plan(Resolution.REFUSE).contested())
        .extracting(note -> note.path().text())
        .containsExactlyInAnyOrder("deleted-here", "deleted-there", "new-in-both");
  }

  @Test
  void without_a_known_base_nothing_is_overwritten() throws Exception {
    Workshop.write(shop.host, "a", "host");
    Workshop.write(shop.host, "same", "same");
    var proposals =
        List.of(
            proposal("a", new Base.Unknown(), "sandbox"),
            proposal("same", new Base.Unknown(), "same"));
    try (ApplySession session = shop.session()) {
      ApplyPlan plan = session.plan(proposals, Resolution.REFUSE);
      assertThat(plan.contested())
          .extracting(ApplyPlan.Note::path)
          .containsExactly(new TreePath("a"));
      assertThat(plan.unchanged()).containsExactly(new TreePath("same"));
    }
  }

  private static Proposal proposal(String path, Base base, String text) {
    return new Proposal(
        new TreePath(path),
        base,
        new Version.File(Content.of(text.getBytes(StandardCharsets.UTF_8)), 0644));
  }

  @Test
  void a_folder_with_something_of_the_hosts_in_it_stays() throws Exception {
    shop.everywhere("d/a", "1");
    shop.everywhere("e/a", "1");
    Workshop.remove(shop.sandbox.resolve("d"));
    Workshop.remove(shop.sandbox.resolve("e"));
    Workshop.write(shop.sandbox, "e", "a file now");
    Workshop.write(shop.host, "d/new", "of the host");
    Workshop.write(shop.host, "e/new", "of the host");
    ApplyPlan plan = plan(Resolution.REFUSE);
    assertThat(plan.contested()).extracting(note -> note.path().text()).containsExactly("e");
    Workshop.remove(shop.host.resolve("e/new"));
    var _ = apply(Resolution.REFUSE);
    assertThat(Workshop.picture(shop.host).keySet()).containsExactly("d", "d/new", "e");
  }

  @Test
  void links_of_the_host_are_never_followed() throws Exception {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("a"), "canary");
    shop.everywhere("d/a", "1");
    shop.everywhere("f", "1");
    Workshop.write(shop.sandbox, "d/a", "2");
    Workshop.write(shop.sandbox, "d/b", "2");
    Workshop.write(shop.sandbox, "f", "2");
    Workshop.remove(shop.host.resolve("d"));
    Files.createSymbolicLink(shop.host.resolve("d"), outside);
    Workshop.remove(shop.host.resolve("f"));
    Files.createSymbolicLink(shop.host.resolve("f"), outside.resolve("a"));
    assertThat(plan(Resolution.THEIRS).contested())
        .extracting(note -> note.path().text())
        .containsExactlyInAnyOrder("d/a", "d/b");
    assertThat(plan(Resolution.REFUSE).contested())
        .extracting(note -> note.path().text())
        .containsExactlyInAnyOrder("d/a", "d/b", "f");
    assertThat(Workshop.picture(outside)).hasSize(1).containsEntry("a", "rw-r--r-- canary");
  }

  @Test
  void a_target_that_becomes_a_link_after_the_plan_is_left_alone() throws Exception {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    shop.everywhere("a", "1");
    shop.everywhere("d/x", "canary");
    Workshop.write(shop.sandbox, "a", "2");
    Workshop.write(shop.sandbox, "d/x", "2");
    try (ApplySession session = shop.session()) {
      ApplyPlan plan = session.plan(shop.proposals(), Resolution.REFUSE);
      Files.move(shop.host.resolve("d/x"), outside.resolve("x"));
      Files.delete(shop.host.resolve("d"));
      Files.createSymbolicLink(shop.host.resolve("d"), outside);
      assertThat(session.apply(plan))
          .isEqualTo(new Outcome.TakenBack(List.of(new TreePath("d/x"))));
    }
    assertThat(Workshop.picture(outside)).hasSize(1).containsEntry("x", "rw-r--r-- canary");
    assertThat(shop.host.resolve("a")).hasContent("1");
  }

  @Test
  void an_edit_after_the_plan_takes_all_of_it_back() throws Exception {
    manyChanges();
    try (ApplySession session = shop.session()) {
      ApplyPlan plan = session.plan(shop.proposals(), Resolution.REFUSE);
      Workshop.write(shop.host, "added/in/folders", "made by the host in the very moment");
      SortedMap<String, String> before = Workshop.picture(shop.host);
      assertThat(session.apply(plan))
          .isInstanceOfSatisfying(
              Outcome.TakenBack.class,
              back -> assertThat(back.leftAlone()).contains(new TreePath("added/in/folders")));
      assertThat(Workshop.picture(shop.host)).isEqualTo(before);
    }
  }

  @Test
  void a_part_is_applied_with_the_folders_it_needs() throws Exception {
    manyChanges();
    List<Proposal> one =
        shop.proposals().stream()
            .filter(proposal -> proposal.path().text().equals("added/in/folders"))
            .toList();
    try (ApplySession session = shop.session()) {
      var _ = session.apply(session.plan(one, Resolution.REFUSE));
    }
    assertThat(shop.host.resolve("added/in/folders")).hasContent("a");
    assertThat(shop.host.resolve("changed")).hasContent("old");
  }

  @Test
  void pipes_are_skipped_and_set_id_bits_stay_behind() throws Exception {
    assertThat(
            new ProcessBuilder("mkfifo", shop.sandbox.resolve("pipe").toString()).start().waitFor())
        .isZero();
    Workshop.write(shop.sandbox, "suid", "x");
    Files.setAttribute(shop.sandbox.resolve("suid"), "unix:mode", 0104755);
    // The pipe is in no picture that reads content, so it is proposed by hand.
    var pipe =
        new Proposal(
            new TreePath("pipe"), new Base.Known(new Version.Absent()), new Version.Special());
    var suid =
        new Proposal(
            new TreePath("suid"),
            new Base.Known(new Version.Absent()),
            Version.at(HeldFolder.open(shop.sandbox), new TreePath("suid")));
    try (ApplySession session = shop.session()) {
      ApplyPlan plan = session.plan(List.of(pipe, suid), Resolution.REFUSE);
      assertThat(plan.skipped()).extracting(note -> note.path().text()).containsExactly("pipe");
      var _ = session.apply(plan);
    }
    assertThat((int) Files.getAttribute(shop.host.resolve("suid"), "unix:mode") & 07777)
        .isEqualTo(0755);
    assertThat(shop.host.resolve("pipe")).doesNotExist();
  }

  @Test
  void files_stay_their_owners_when_root_applies() throws Exception {
    shop.everywhere("a", "1");
    Workshop.write(shop.sandbox, "a", "2");
    Workshop.write(shop.sandbox, "b", "2");
    Files.setAttribute(shop.host, "unix:uid", 1234);
    Files.setAttribute(shop.host.resolve("a"), "unix:uid", 2345);
    var _ = apply(Resolution.REFUSE);
    assertThat(Files.getAttribute(shop.host.resolve("a"), "unix:uid")).isEqualTo(2345);
    assertThat(Files.getAttribute(shop.host.resolve("b"), "unix:uid")).isEqualTo(1234);
  }

  @Test
  void only_one_applies_at_a_time() throws Exception {
    try (ApplySession first = shop.session()) {
      assertThat(first.recovered()).isEmpty();
      assertThatThrownBy(() -> shop.session()).hasMessageContaining("Somebody else");
    }
    shop.session().close();
  }

  @Test
  void a_thousand_files_are_applied_and_the_journal_does_not_grow_for_ever() throws Exception {
    for (int i = 0; i < 1000; i++) {
      Workshop.write(shop.sandbox, "d" + i % 20 + "/f" + i, "content " + i);
    }
    var _ = apply(Resolution.REFUSE);
    assertThat(Workshop.picture(shop.host)).isEqualTo(Workshop.picture(shop.sandbox));
    for (int i = 0; i < 25; i++) {
      Workshop.write(shop.base, "a", "" + i);
      Workshop.write(shop.host, "a", "" + i);
      Workshop.write(shop.sandbox, "a", "" + (i + 1));
      var _ = apply(Resolution.REFUSE);
    }
    try (var entries = Files.list(shop.state)) {
      assertThat(entries).hasSize(21); // twenty, and the lock
    }
  }
}
