package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Devices of the host that the operator lets in: here one that is as harmless as /dev/zero. */
class DevicesTest {
  private static final Path NODE =
      Path.of("/dev/cove-test-%d".formatted(ProcessHandle.current().pid()));

  @RegisterExtension static final RunningServer server = RunningServer.with(DevicesTest::settings);

  private static Map<String, String> settings() {
    try {
      if (Files.notExists(NODE)) {
        int made =
            new ProcessBuilder("mknod", "-m", "600", NODE.toString(), "c", "1", "5")
                .start()
                .waitFor();
        assertThat(made).as("mknod " + NODE).isZero();
      }
    } catch (IOException e) {
      throw new AssertionError("mknod could not be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted", e);
    }
    return Map.of("COVE_DEVICES", NODE.toString());
  }

  @AfterAll
  static void removeTheNode() throws IOException {
    Files.deleteIfExists(NODE);
  }

  @Test
  void a_sandbox_has_the_devices_that_were_allowed_and_says_so_and_no_others() {
    try (Sandbox box = server.create()) {
      assertThat(box.exec(Command.shell("head -c 3 %s | od -An -tx1".formatted(NODE))).stdout())
          .isEqualTo(" 00 00 00\n");
      assertThat(box.fetchInfo().boundary().orElseThrow().devices())
          .containsExactly(NODE.toString());
      assertThat(box.exec(Command.shell("ls /dev/kmsg /dev/mem /dev/loop-control")).exitCode())
          .isNotZero();
    }
    try (Sandbox box = server.create(CreateOptions.defaults().tier("gvisor"))) {
      assertThat(box.exec("test", "-e", NODE.toString()).exitCode()).isNotZero();
      assertThat(box.fetchInfo().boundary().orElseThrow().devices()).isEmpty();
    }
  }
}
