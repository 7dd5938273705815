package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With a launcher whose server is a sleeping shell and whose API is in this process. */
@Timeout(60)
class LocalStartTest {
  @TempDir private Path home;
  private final FakeApi api = new FakeApi();

  LocalStartTest() throws IOException {}

  @AfterEach
  void endServers() throws IOException {
    api.close();
    Path pids = home.resolve("pids");
    if (Files.exists(pids)) {
      for (String pid : Files.readAllLines(pids)) {
        ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  private Path launcher(String body) throws IOException {
    Path file = home.resolve("launcher");
    Files.writeString(file, "#!/bin/sh\n" + body);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  /** Says who it is and goes on until it is ended. */
  private Path goodLauncher() throws IOException {
    return launcher(
        """
        echo "arguments: $*"
        mkdir -p "$COVE_HOME/data" "$COVE_HOME/run"
        echo cove_local > "$COVE_HOME/data/local.key"
        echo $$ >> "$COVE_HOME/pids"
        echo '{"url":"%s","pid":'$$',"version":"0.1.0"}' > "$COVE_HOME/run/server.new"
        mv "$COVE_HOME/run/server.new" "$COVE_HOME/run/server.json"
        exec sleep 600
        """
            .formatted(api.url()));
  }

  /** The launcher's own environment, which the process it starts inherits, lacks COVE_HOME. */
  private CommandRun run(Path launcher, String... args) throws IOException {
    Path withHome = home.resolve("with-home");
    if (!Files.exists(withHome)) {
      Files.writeString(
          withHome,
          "#!/bin/sh\nexport COVE_HOME='%s'\nexec '%s' \"$@\"\n".formatted(home, launcher));
      Files.setPosixFilePermissions(withHome, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return CommandRun.of(Map.of("COVE_HOME", home.toString()), Optional.of(withHome), args);
  }

  private List<String> pids() throws IOException {
    return Files.readAllLines(home.resolve("pids"));
  }

  @Test
  void up_starts_the_server_once_and_then_only_tells_where_it_is() throws IOException {
    Path launcher = goodLauncher();
    CommandRun first = run(launcher, "up", "--port", "0");
    CommandRun second = run(launcher, "up");
    assertThat(first.err()).isEmpty();
    assertThat(first.out()).isEqualTo(api.url() + "\n");
    assertThat(second).isEqualTo(first);
    assertThat(pids()).hasSize(1);
    assertThat(home.resolve("data/server.log")).content().contains("arguments: server --port 0");
  }

  @Test
  void many_at_once_start_one_server() throws Exception {
    Path launcher = goodLauncher();
    run(launcher, "version");
    try (var threads = Executors.newFixedThreadPool(4)) {
      Callable<CommandRun> up = () -> run(launcher, "up");
      for (Future<CommandRun> each : threads.invokeAll(List.of(up, up, up, up))) {
        assertThat(each.get().out()).isEqualTo(api.url() + "\n");
      }
    }
    assertThat(pids()).hasSize(1);
  }

  @Test
  void another_port_than_that_of_the_running_server_is_refused() throws IOException {
    Path launcher = goodLauncher();
    run(launcher, "up");
    CommandRun other = run(launcher, "up", "--port", "1");
    assertThat(other.code()).isEqualTo(ExitCode.FAILED);
    assertThat(other.err()).contains(api.url()).contains("COVE_HOME");
  }

  @Test
  void a_server_that_dies_at_once_is_told_with_the_end_of_its_log() throws IOException {
    CommandRun up = run(launcher("echo 'cove server: The port is taken.'\nexit 1\n"), "up");
    assertThat(up.code()).isEqualTo(ExitCode.FAILED);
    assertThat(up.err()).contains("ended before it was ready").contains("The port is taken.");
  }

  @Test
  void down_ends_the_server_and_then_has_nothing_to_do() throws IOException {
    Path launcher = goodLauncher();
    run(launcher, "up");
    assertThat(run(launcher, "down").code()).isZero();
    assertThat(ProcessHandle.of(Long.parseLong(pids().getFirst())).filter(ProcessHandle::isAlive))
        .isEmpty();
    CommandRun again = run(launcher, "down");
    assertThat(again.code()).isZero();
    assertThat(again.err()).isEqualTo("No server runs here.\n");
  }

  @Test
  void down_all_removes_every_sandbox_first() throws IOException {
    Path launcher = goodLauncher();
    String box =
        "{\"id\":\"%s\",\"name\":\"n\",\"state\":\"running\",\"template\":\"host\","
            + "\"tier\":\"container\",\"cpus\":1,\"memoryMb\":1,\"diskMb\":1,\"maxProcesses\":1,"
            + "\"labels\":{},\"createdAt\":\"2026-11-15T23:00:00Z\"}";
    api.on(
            "GET /api/v1/sandboxes?limit=1000",
            200,
            "{\"items\":[" + box.formatted("a") + "," + box.formatted("b") + "]}")
        .on("DELETE /api/v1/sandboxes/a", 204, "");
    run(launcher, "up");
    CommandRun down = run(launcher, "down", "--all");
    assertThat(down.err()).isEqualTo("Removed 2 sandboxes.\n");
    assertThat(api.requests()).contains("DELETE /api/v1/sandboxes/a", "DELETE /api/v1/sandboxes/b");
  }

  @Test
  void a_log_that_has_grown_large_is_put_aside_at_the_next_start() throws IOException {
    Path data = Files.createDirectories(home.resolve("data"));
    Files.write(data.resolve("server.log"), new byte[9 * 1024 * 1024]);
    run(goodLauncher(), "up");
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
}
