package dev.cove.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeTest {
  @TempDir Path folder;

  @Test
  void a_home_has_room_for_one_server() {
    Home home = Home.in(folder);
    try (var _ = HomeLock.claim(home)) {
      assertThatThrownBy(() -> HomeLock.claim(home))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("Another server (pid " + ProcessHandle.current().pid() + ")")
          .hasMessageContaining("--home");
    }
    HomeLock.claim(home).close();
  }

  @Test
  void two_homes_do_not_know_each_other() {
    try (var _ = HomeLock.claim(Home.in(folder.resolve("a")));
        var second = HomeLock.claim(Home.in(folder.resolve("b")))) {
      assertThat(second).isNotNull();
    }
  }

  @Test
  void others_cannot_look_into_a_home() throws IOException {
    Home home = Home.in(folder);
    HomeLock.claim(home).close();
    for (Path made : List.of(home.data(), home.run())) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
          .isEqualTo("rwx--x--x");
    }
  }

  @Test
  void a_home_that_cannot_be_made_is_refused_with_advice() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> HomeLock.claim(Home.in(file)))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("COVE_HOME");
  }

  @Test
  void the_announcement_is_there_while_the_server_is_and_only_for_its_owner() throws IOException {
    Path file = folder.resolve("server.json");
    Files.writeString(file, "left behind by a server that was killed");
    try (var _ = Announcement.publish(file, "http://127.0.0.1:7070")) {
      assertThat(Files.readString(file))
          .startsWith("{\"url\":\"http://127.0.0.1:7070\",\"pid\":")
          .contains("\"version\":\"" + CoveVersion.CURRENT + "\"}");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
    }
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void the_announced_address_can_be_reached_from_this_machine() {
    assertThat(Announcement.localUrl("0.0.0.0", 1)).isEqualTo("http://127.0.0.1:1");
    assertThat(Announcement.localUrl("::", 1)).isEqualTo("http://[::1]:1");
    assertThat(Announcement.localUrl("fe80::1", 1)).isEqualTo("http://[fe80::1]:1");
    assertThat(Announcement.localUrl("localhost", 1)).isEqualTo("http://localhost:1");
  }

  @Test
  void the_version_is_filled_in_by_the_build() {
    assertThat(CoveVersion.CURRENT).matches("[0-9]+\\.[0-9]+\\.[0-9]+.*");
  }
}
