package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the operator says about all sandboxes, which no policy of theirs widens. */
class NetworkFloorTest {
  private static final String OWN = "/usr/local/share/ca-certificates/cove-sandbox-ca.crt";
  @TempDir private static Path folder;

  @RegisterExtension
  @Order(1)
  static final SecureWorld world = SecureWorld.of("api.test");

  @RegisterExtension
  @Order(2)
  static final RunningServer server = RunningServer.with(NetworkFloorTest::settings);

  private static Map<String, String> settings() {
    var settings = new HashMap<>(world.settings());
    settings.put("COVE_NETWORK_FLOOR", floor().toString());
    settings.put("COVE_POOL_SIZE", "1");
    return settings;
  }

  private static Path floor() {
    try {
      return Files.writeString(
          folder.resolve("floor"),
          "# ours alone\ndefault deny\nallow *.example.com:443\nallow api.test GET /v1/*\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void rules_of_the_operator_on_requests_hold_inside_tls_which_programs_trust_all_the_same()
      throws Exception {
    SecureWorld.Place api = world.echo("api.test", "127.77.4.1", 0);
    String url = "https://api.test:%d/v1/me".formatted(api.port());
    try (Sandbox free = server.create(CreateOptions.defaults().network(Network.allowing()));
        Sandbox later = server.create(CreateOptions.defaults().network(Network.denying()))) {
      assertThat(free.exec("curl", "-sS", url).stdout()).startsWith("GET /v1/me");
      assertThat(free.exec("sh", "-c", "echo $CURL_CA_BUNDLE").stdout().strip()).isNotEmpty();
      assertThat(free.exec("curl", "-sSi", "-d", "x", url).stdout())
          .contains("403")
          .contains("operator");
      assertThat(later.files().exists(OWN)).as("it reaches nothing").isFalse();
      later.allow("api.test");
      assertThat(later.exec("curl", "-sS", url).stdout()).startsWith("GET /v1/me");
    }
    assertThat(api.seen()).hasSize(2);
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
