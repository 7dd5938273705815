package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many sandboxes come and go, and it is as if they had never been. */
class ChurnTest {
  private static final int WORKERS = 8;
  private static final int POOL = 32;
  private static final int WARM_UP = 100;
  private static final int SANDBOXES = Integer.getInteger("cove.churn", 1_000);

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @Test
  void a_thousand_sandboxes_created_used_and_removed_leave_nothing_behind() throws Exception {
    churn(WARM_UP);
    awaitQuiet();
    ProcessFigures before = ProcessFigures.of(server.pid());

    churn(SANDBOXES);

    assertThat(server.cove().sandboxes().list()).isEmpty();
    awaitQuiet();
    Awaitility.await("descriptors and threads of the server to come back")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> {
          ProcessFigures after = ProcessFigures.of(server.pid());
          assertThat(after.descriptors()).isLessThan(before.descriptors() + 20);
          assertThat(after.threads()).isLessThan(before.threads() + 20);
        });
    assertThat(ProcessFigures.residentBytes(server.pid()) - before.residentBytes())
        .as("growth of the server's memory")
        .isLessThan(64L << 20);
    server.stop();
    HostTraces.of(server.home()).assertNone();
  }

  private static void churn(int count) throws Exception {
    var left = new AtomicInteger(count);
    AtOnce.times(
        WORKERS,
        worker -> {
          int made = 0;
          while (left.getAndDecrement() > 0) {
            try (Sandbox box = server.create()) {
              assertThat(box.exec("echo", box.id()).stdout().strip()).isEqualTo(box.id());
            }
            made++;
          }
          return made;
        });
  }

  /** All that is left are the cages that stand ready for the next creates. */
  private static void awaitQuiet() {
    Awaitility.await("only warm cages to be left")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> {
          int warm = server.cove().system().warm();
          assertThat(warm).isEqualTo(POOL);
          assertThat(count("data/engine/sandboxes")).isEqualTo(warm);
          assertThat(count("run/s")).isEqualTo(warm);
        });
  }

  private static long count(String folder) throws IOException {
    Path path = server.home().resolve(folder);
    try (var entries = Files.list(path)) {
      return entries.count();
    }
  }
}
