package dev.cove.review.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.review.apply.ApplySession.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that applies is ended in each gap between two durable steps. */
class ApplyCrashTest {
  /** Keeps a folder from being removed, when some steps have been taken. */
  private static final String EDITED = "folder-to-file/new";

  @TempDir Path temporary;

  /** One of each kind of step. */
  private static void prepare(Workshop shop) throws IOException {
    shop.everywhere("changed", "old");
    shop.everywhere("deleted", "x");
    shop.everywhere("file-to-folder", "f");
    shop.everywhere("folder-to-file/b", "b");
    shop.everywhere("e/old", "1");
    Workshop.write(shop.sandbox, "changed", "new");
    Workshop.remove(shop.sandbox.resolve("deleted"));
    Workshop.remove(shop.sandbox.resolve("file-to-folder"));
    Workshop.write(shop.sandbox, "file-to-folder/inner", "i");
    Workshop.remove(shop.sandbox.resolve("folder-to-file"));
    Workshop.write(shop.sandbox, "folder-to-file", "now a file");
    Workshop.write(shop.sandbox, "e/new", "added");
    Files.createSymbolicLink(shop.sandbox.resolve("link"), Path.of("changed"));
  }

  /** How the process ended. */
  private static int run(Path folder, String failPoint, String... arguments) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-D%s=%s".formatted(FailPoint.PROPERTY, failPoint));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ApplyCrashMain.class.getName(), folder.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    assertThat(status).as(said).isIn(0, FailPoint.EXIT_CODE);
    return status;
  }

  private static void assertNothingBeside(Path host) throws IOException {
    assertThat(Workshop.picture(host).keySet()).noneMatch(path -> path.contains(".cove-"));
  }

  @ParameterizedTest
  @EnumSource(
      names = {"APPLY_STAGED", "APPLY_ANNOUNCED", "APPLY_BESIDE", "APPLY_PLACED", "APPLY_SETTLED"})
  void after_a_kill_all_is_as_it_was_or_as_it_should_be(FailPoint point) throws Exception {
    int time = 1;
    while (true) {
      Path folder = Files.createDirectory(temporary.resolve("" + time));
      try (var shop = new Workshop(folder)) {
        prepare(shop);
        SortedMap<String, String> before = Workshop.picture(shop.host);
        if (run(folder, point + ":" + time, "apply") == 0) {
          break;
        }
        try (ApplySession session = shop.session()) {
          boolean announced = point != FailPoint.APPLY_STAGED;
          assertThat(session.recovered().isPresent()).isEqualTo(announced);
          assertThat(Workshop.picture(shop.host))
              .as("%s, time %d", point, time)
              .isEqualTo(announced ? Workshop.picture(shop.sandbox) : before);
          if (announced) {
            assertThat(session.undo()).containsInstanceOf(Outcome.Applied.class);
            assertThat(Workshop.picture(shop.host)).isEqualTo(before);
          }
        }
      }
      time++;
    }
    assertThat(time).as("%s is reached", point).isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"APPLY_BESIDE", "APPLY_PLACED"})
  void an_edit_between_a_kill_and_the_recovery_is_not_lost(FailPoint point) throws Exception {
    try (var shop = new Workshop(temporary)) {
      prepare(shop);
      SortedMap<String, String> before = Workshop.picture(shop.host);
      assertThat(run(temporary, point + ":2", "apply")).isEqualTo(FailPoint.EXIT_CODE);
      Workshop.write(shop.host, "changed", "edited by somebody");
      try (ApplySession session = shop.session()) {
        assertThat(session.recovered()).containsInstanceOf(Outcome.TakenBack.class);
      }
      before.put("changed", "rw-r--r-- edited by somebody");
      assertThat(Workshop.picture(shop.host)).isEqualTo(before);
    }
  }

  @Test
  void an_edit_that_came_just_before_the_exchange_is_given_back() throws Exception {
    int swaps = 0;
    for (int time = 1; time <= 8; time++) {
      Path folder = Files.createDirectory(temporary.resolve("" + time));
      try (var shop = new Workshop(folder)) {
        prepare(shop);
        SortedMap<String, String> before = Workshop.picture(shop.host);
        assertThat(run(folder, "APPLY_PLACED:" + time, "apply")).isEqualTo(FailPoint.EXIT_CODE);
        Optional<Path> beside = beside(shop.host);
        if (beside.isPresent()) {
          String was = Files.readString(beside.get());
          Files.writeString(beside.get(), "an edit that nobody has seen");
          shop.session().close();
          SortedMap<String, String> now = Workshop.picture(shop.host);
          assertThat(now).containsValue("rw-r--r-- an edit that nobody has seen");
          now.replaceAll((path, text) -> text.replace("an edit that nobody has seen", was));
          assertThat(now).as("time %d", time).isEqualTo(before);
          swaps++;
        }
      }
    }
    assertThat(swaps).isGreaterThan(2); // deletions, and a change
  }

  private static Optional<Path> beside(Path host) throws IOException {
    try (Stream<Path> all = Files.walk(host)) {
      return all.filter(path -> host.relativize(path).toString().startsWith(".cove-"))
          .filter(Files::isRegularFile)
          .filter(ApplyCrashTest::isOld)
          .findFirst();
    }
  }

  /** Whether it is one of those that were there before. */
  private static boolean isOld(Path file) {
    try {
      return Set.of("old", "x", "f", "b").contains(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_kill_while_all_is_taken_back_is_made_good() throws Exception {
    for (String point : List.of("APPLY_TURNED:1", "APPLY_PLACED:2", "APPLY_BESIDE:7")) {
      Path folder = Files.createDirectory(temporary.resolve(point));
      try (var shop = new Workshop(folder)) {
        prepare(shop);
        SortedMap<String, String> before = Workshop.picture(shop.host);
        assertThat(run(folder, point, "apply", EDITED)).isEqualTo(FailPoint.EXIT_CODE);
        try (ApplySession session = shop.session()) {
          assertThat(session.recovered()).containsInstanceOf(Outcome.TakenBack.class);
        }
        before.put(EDITED, "rw-r--r-- edited in the very moment");
        assertThat(Workshop.picture(shop.host)).as(point).isEqualTo(before);
        assertNothingBeside(shop.host);
      }
    }
  }

  @Test
  void an_undo_that_is_killed_is_ended_by_the_next_session() throws Exception {
    try (var shop = new Workshop(temporary)) {
      prepare(shop);
      SortedMap<String, String> before = Workshop.picture(shop.host);
      assertThat(run(temporary, "APPLY_TURNED", "apply")).isZero();
      assertThat(run(temporary, "APPLY_PLACED:3", "undo")).isEqualTo(FailPoint.EXIT_CODE);
      try (ApplySession session = shop.session()) {
        assertThat(session.recovered()).containsInstanceOf(Outcome.Applied.class);
        assertThat(session.undo()).isEmpty();
      }
      assertThat(Workshop.picture(shop.host)).isEqualTo(before);
    }
  }

  @Test
  void every_gap_of_an_apply_is_looked_at_here() {
    assertThat(EnumSet.range(FailPoint.APPLY_STAGED, FailPoint.APPLY_TURNED)).hasSize(6);
  }
}
