package dev.cove.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.bench.peer.PeerStatus.Missing;
import dev.cove.bench.peer.PeerStatus.Unusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeersTest {
  @TempDir private Path folder;

  @Test
  void peers_that_are_not_installed_are_named_as_missing() throws Exception {
    try (Peers peers = Peers.prepare(emptyFolder().toString(), scratch())) {
      assertThat(peers.statuses())
          .hasOnlyElementsOfType(Missing.class)
          .extracting(PeerStatus::name)
          .containsExactly("runc", "crun", "runsc", "bwrap", "docker", "podman");
      assertThat(peers.ready()).isEmpty();
    }
  }

  @Test
  void an_installed_peer_that_fails_is_unusable_with_its_own_reason() throws Exception {
    Path programs = emptyFolder();
    script(
        programs.resolve("docker"),
        "echo warming up; echo 'Cannot connect to the engine' >&2; exit 1");
    try (Peers peers = Peers.prepare(programs.toString(), scratch())) {
      assertThat(peers.statuses())
          .filteredOn(status -> status.name().equals("docker"))
          .singleElement()
          .isInstanceOfSatisfying(
              Unusable.class,
              unusable -> assertThat(unusable.reason()).contains("Cannot connect to the engine"));
    }
  }

  @Test
  void a_peer_that_prints_something_else_is_unusable() throws Exception {
    Path programs = emptyFolder();
    script(programs.resolve("bwrap"), "echo something else");
    try (Peers peers = Peers.prepare(programs.toString(), scratch())) {
      assertThat(peers.ready()).isEmpty();
      assertThat(peers.statuses()).contains(new Unusable("bwrap", "something else"));
    }
  }

  @Test
  void a_peer_that_works_is_measured_with_its_version() throws Exception {
    Path programs = emptyFolder();
    script(
        programs.resolve("bwrap"),
        "if [ \"$1\" = --version ]; then echo bubblewrap 9.8.7; else echo hello; fi");
    try (Peers peers = Peers.prepare(programs.toString(), scratch())) {
      assertThat(peers.ready()).extracting(Peer::name).containsExactly("bwrap");
      assertThat(peers.statuses())
          .filteredOn(status -> status.name().equals("bwrap"))
          .extracting(status -> status.line().detail())
          .containsExactly("9.8.7");
    }
  }

  @Test
  void whatever_is_installed_here_leaves_no_mount_or_cgroup_behind() throws Exception {
    Path scratch = scratch();
    try (Peers peers = Peers.prepare("/usr/local/bin:/usr/bin:/usr/sbin", scratch)) {
      for (Peer peer : peers.ready()) {
        var idle = peer.startIdle();
        if (idle.isPresent()) {
          assertThat(Command.run(idle.get()).exitCode()).as(peer.name() + " exec").isZero();
        }
      }
    }
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
        .doesNotContain(scratch.toString());
    try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), 2)) {
      assertThat(groups)
          .noneMatch(g -> g.toString().contains("cove-bench-" + ProcessHandle.current().pid()));
    }
  }

  @Test
  void a_command_that_outlasts_its_limit_is_killed() throws Exception {
    Command.Result result = Command.run(List.of("sleep", "60"), Duration.ofMillis(100));
    assertThat(result.exitCode()).isEqualTo(137);
  }

  private Path emptyFolder() throws IOException {
    return Files.createDirectories(folder.resolve("programs"));
  }

  private Path scratch() throws IOException {
    // A runtime that uses a user namespace must be able to pass through the temporary folder.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    return Files.createDirectories(folder.resolve("scratch"));
  }

  private static void script(Path file, String body) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
