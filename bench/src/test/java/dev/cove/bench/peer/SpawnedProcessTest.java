package dev.cove.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpawnedProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void first_output_and_exit_code_are_seen() throws IOException {
    try (var command = shell("echo one; exit 7");
        SpawnedProcess process = command.start()) {
      process.awaitOutput(LIMIT);
      assertThat(process.awaitExit(LIMIT)).isEqualTo(7);
    }
  }

  @Test
  void a_program_that_ends_by_signal_is_reported_as_a_shell_would() throws IOException {
    try (var command = shell("kill -9 $$");
        SpawnedProcess process = command.start()) {
      assertThat(process.awaitExit(LIMIT)).isEqualTo(137);
    }
  }

  @Test
  void a_program_that_stays_silent_is_an_error() throws IOException {
    try (var command = shell("exit 0");
        SpawnedProcess process = command.start()) {
      assertThatThrownBy(() -> process.awaitOutput(LIMIT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("without printing");
    }
  }

  @Test
  void a_program_that_hangs_is_given_up_and_killed_on_close() throws IOException {
    try (var command = shell("exec sleep 60");
        SpawnedProcess process = command.start()) {
      assertThatThrownBy(() -> process.awaitExit(Duration.ofMillis(50)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("did not end");
    }
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @Test
  void a_program_that_does_not_exist_is_an_error() {
    try (var command = new SpawnedProcess.Prepared(List.of("/nonexistent/program"))) {
      assertThatThrownBy(command::start)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("error number 2");
    }
  }

  @Test
  void no_descriptor_is_left_open() throws IOException {
    long before = openDescriptors();
    for (int i = 0; i < 20; i++) {
      try (var command = shell("echo one");
          SpawnedProcess process = command.start()) {
        process.awaitOutput(LIMIT);
      }
      try (var command = new SpawnedProcess.Prepared(List.of("/nonexistent/program"))) {
        assertThatThrownBy(command::start).isInstanceOf(IOException.class);
      }
    }
    assertThat(openDescriptors()).isEqualTo(before);
  }

  private static SpawnedProcess.Prepared shell(String script) {
    return new SpawnedProcess.Prepared(List.of("/bin/sh", "-c", script));
  }

  private static long openDescriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
