package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.RunningCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two sandboxes side by side: nothing crosses. */
class NeighbourTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void channels_are_found_in_the_same_sandbox_and_not_in_the_next(String user) throws Exception {
    try (var holder = Intruder.in(SERVER.cove());
        var neighbour = Intruder.in(SERVER.cove())) {
      String channels = holder.install("channels");
      neighbour.install("channels");
      try (RunningCommand holding = holder.box().start(Command.of(channels, "hold").user(user))) {
        assertThat(firstLine(holding)).isEqualTo("holding");

        assertThat(holder.findings(user, channels, "find"))
            .hasSize(9)
            .allSatisfy((name, found) -> assertThat(found).as(name).isEqualTo("FOUND"));
        assertThat(neighbour.findings(user, channels, "find"))
            .hasSize(9)
            .allSatisfy((name, found) -> assertThat(found).as(name).isEqualTo("NONE"));
      }
    }
  }

  @Test
  void watching_shared_folders_tells_nothing_about_the_neighbour() throws Exception {
    try (var watcher = Intruder.in(SERVER.cove());
        var neighbour = Intruder.in(SERVER.cove());
        var changes = watcher.files("root").watch("/usr/local", true)) {
      neighbour.must("root", "echo secret > /usr/local/of-the-neighbour");
      watcher.must("root", "echo own > /usr/local/own");

      // The neighbour's change came first, so seeing ours means that theirs was not reported.
      assertThat(changes.next().orElseThrow().path()).endsWith("/own");
      assertThat(watcher.must("root", "ls /usr/local")).doesNotContain("of-the-neighbour");
    }
  }

  @Test
  void a_process_of_the_neighbour_cannot_be_signalled_or_seen() {
    try (var intruder = Intruder.in(SERVER.cove());
        var neighbour = Intruder.in(SERVER.cove());
        RunningCommand victim = neighbour.box().start(Command.of("sleep", "77").user("root"))) {
      intruder.shell("root", "for p in $(seq 2 300); do kill -9 $p; done; kill -9 -1");

      assertThat(neighbour.must("root", "cat /proc/" + victim.pid() + "/comm")).isEqualTo("sleep");
      assertThat(intruder.must("root", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"))
          .doesNotContain("sleep 77");
    }
  }

  private static String firstLine(RunningCommand command) throws IOException {
    var reader =
        new BufferedReader(new InputStreamReader(command.stdout(), StandardCharsets.UTF_8));
    return String.valueOf(reader.readLine());
  }
}
