package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the operator says about all sandboxes, which no policy of theirs widens. */
class NetworkFloorTest {
  private static final Path floor = floor();

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_NETWORK_FLOOR", floor.toString(), "COVE_POOL_SIZE", "1"));

  private static Path floor() {
    try {
      Path file = Files.createTempFile("cove-floor-", "");
      return Files.writeString(file, "# ours alone\ndefault deny\nallow *.example.com:443\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  static void removeFloor() throws IOException {
    Files.delete(floor);
  }

  @Test
  void the_floor_of_the_operator_is_not_widened() {
    try (Sandbox box = server.create(CreateOptions.defaults().network(Network.allowing()))) {
      assertThat(box.explain("example.org:443").rule()).isEqualTo("operator's default deny");
      assertThat(box.explain("example.org:443").remedy()).isEmpty();
      assertThat(box.exec("sh", "-c", "curl -s http://192.0.2.1/").stdout())
          .contains("operator's default deny")
          .contains("No rule of this sandbox can allow it");
    }
  }
}
