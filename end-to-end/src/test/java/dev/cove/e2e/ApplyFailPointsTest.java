package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Project;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server ends in the midst of an apply; the next one ends it, one way or the other. */
class ApplyFailPointsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int OWNER = 4711;

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  @TempDir Path temporary;

  private static Map<String, String> files(Path project) throws IOException {
    var files = new TreeMap<String, String>();
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.filter(Files::isRegularFile).toList()) {
        files.put(project.relativize(one).toString(), Files.readString(one));
      }
    }
    return files;
  }

  @ParameterizedTest
  @EnumSource(
      value = FailPoint.class,
      names = {"APPLY_STAGED", "APPLY_ANNOUNCED", "APPLY_BESIDE", "APPLY_PLACED", "APPLY_SETTLED"})
  void all_of_it_is_there_after_the_next_start_or_nothing(FailPoint point) throws Exception {
    Path project = Files.createDirectory(temporary.toRealPath().resolve("app"));
    for (String name : List.of("a", "b", "gone")) {
      Files.writeString(project.resolve(name), name + "\n");
    }
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.toList()) {
        Files.setAttribute(one, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(one, "unix:gid", OWNER, LinkOption.NOFOLLOW_LINKS);
      }
    }
    Map<String, String> before = files(project);
    var options = CreateOptions.defaults().project(Project.of(project.toString()));
    String id = server.create(options).detach().id();
    Sandbox box = server.cove().sandboxes().require(id);
    box.exec(
        "sh", "-c", "cd /home/user/app; echo A > a; echo B > b; rm gone; mkdir n; echo N > n/n");
    server.kill();
    server.startArmed(point.name());
    try {
      server
          .cove()
          .sandboxes()
          .require(id)
          .changes()
          .apply(ApplyRequest.all().onConflict("theirs"));
    } catch (CoveException e) {
      assertThat(e).hasMessageContaining("failed us");
    }
    assertThat(server.awaitEnd(PATIENCE)).as("the server ended at " + point).isPresent();
    server.start();
    var after = new TreeMap<String, String>();
    after.put("a", "A\n");
    after.put("b", "B\n");
    after.put("n/n", "N\n");
    assertThat(files(project)).as("old or new, and nothing of ours").isIn(before, after);
    if (point != FailPoint.APPLY_STAGED) {
      assertThat(files(project)).isEqualTo(after);
    }
    Sandbox again = server.cove().sandboxes().require(id);
    again.changes().apply(ApplyRequest.all().onConflict("theirs"));
    assertThat(files(project)).isEqualTo(after);
    assertThat(again.changes().list(ChangeQuery.all()).changes()).isEmpty();
    again.delete();
  }
}
