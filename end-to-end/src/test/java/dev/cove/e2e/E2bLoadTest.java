package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Much at once through E2B's own client. */
class E2bLoadTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  private static final long MIB = 1024 * 1024;

  private static void run(String name, int value) throws Exception {
    var environment = new HashMap<>(E2bPackage.environment(server));
    environment.put(name, String.valueOf(value));
    // Its client has 200 by itself, and each stream takes one: none would be left for calls.
    environment.put("E2B_ENVD_RPC_CONNECTIONS", "400");
    String said = E2bPackage.of("e2b-2.51.0").run("load.cjs", environment);
    assertThat(said).contains("1 of 1 checks passed");
  }

  @Test
  void a_large_file_is_never_whole_in_the_servers_memory() throws Exception {
    run("MEGABYTES", 64);
    long before = ProcessFigures.residentBytes(server.pid());
    try (var memory = new PeakMemory(server.pid())) {
      run("MEGABYTES", 256);
      assertThat(memory.peak() - before).isLessThan(64 * MIB);
    }
  }

  @Test
  void two_hundred_commands_of_one_sandbox_stream_at_once() throws Exception {
    run("STREAMS", 200);
  }
}
