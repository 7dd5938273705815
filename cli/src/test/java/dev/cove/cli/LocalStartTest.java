package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts that fail; those that succeed are in the end-to-end tests, with the real server. */
@Timeout(60)
class LocalStartTest {
  @TempDir private Path home;

  private CommandRun up(String launcherBody) throws IOException {
    Path launcher = home.resolve("launcher");
    Files.writeString(launcher, "#!/bin/sh\n" + launcherBody);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return CommandRun.of(Map.of("COVE_HOME", home.toString()), Optional.of(launcher), "up");
  }

  @Test
  void a_server_that_dies_at_once_is_told_with_the_end_of_its_log() throws IOException {
    CommandRun up = up("echo 'cove server: The port is taken.'\nexit 1\n");
    assertThat(up.code()).isEqualTo(ExitCode.FAILED);
    assertThat(up.err()).contains("ended before it was ready").contains("The port is taken.");
  }

  @Test
  void a_log_that_has_grown_large_is_put_aside_at_the_next_start() throws IOException {
    Path data = Files.createDirectories(home.resolve("data"));
    Files.write(data.resolve("server.log"), new byte[9 * 1024 * 1024]);
    up("exit 1\n");
    assertThat(data.resolve("server.log.1")).hasSize(9 * 1024 * 1024);
    assertThat(Files.size(data.resolve("server.log"))).isLessThan(1_000);
  }

  @Test
  void a_remote_server_is_never_stopped_from_here() {
    CommandRun down =
        CommandRun.of(Map.of("COVE_URL", "http://elsewhere", "COVE_API_KEY", "k"), "down");
    assertThat(down.code()).isEqualTo(ExitCode.FAILED);
    assertThat(down.err()).contains("local server only");
  }

  @Test
  void without_a_server_there_is_nothing_to_stop() {
    CommandRun down = CommandRun.of(Map.of("COVE_HOME", home.toString()), "down");
    assertThat(down.code()).isZero();
    assertThat(down.err()).isEqualTo("No server runs here.\n");
  }
}
